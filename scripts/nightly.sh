#!/usr/bin/env bash
# Runs what takes too long for each change: long fuzzing, kills, failovers, soak, mutation, all moves, all clients
# behind proxies, the recipe of a further operation, coverage and the benches. Writes one report, build/nightly.md, with
# the result and the minutes of each part, and the output of each to build/nightly/. Takes hours; parts can be named:
# nightly.sh [PART...].
#
# Ends with exit code 1 if a part failed. Needs what .ci/run installs.
set -uo pipefail
cd "$(dirname "$0")/.."

declare -A PARTS=(
  [fuzz]='FUZZ_COUNT=100000 npx jest --selectProjects fast -- test/asmx/fuzz test/asmx/xml test/store/csv test/features/workbooks/round'
  [simulation]='npm run simulate -- --seeds 10000 --from $(($(date +%s) / 86400 % 9000 * 10000 + 1))'
  [crash]='npm run test:crash -- 30'
  [failover]='npm run test:failover -- 30 --patience 2'
  [two-nodes]='npm run two-nodes'
  [windows]='WINDOWS_KILLS=30 npm run test:windows -- -i test/windows/service'
  [moves]='BACKUP_COUNT=50 npx jest --selectProjects fast databases -- test/features/move test/features/backups'
  [soak]='npm run soak'
  [interop]='STRICT=1 npm run test:interop -- --reverse-proxy old shadow new'
  [recipe]='npm run test:recipe'
  [features]='s=0; for f in src/features/*/; do npm run test:without -- "$(basename "$f")" || s=1; done; exit $s'
  [coverage]='npm run coverage'
  [bench]='npm run bench -- --quick --loads token-soap11,token-get,records-1000,auth-code'
  [bench-delivery]='npm run bench:delivery -- --quick'
  [bench-find]='npm run bench:find -- 5000'
  [bench-console]='npm run bench:console -- 5000'
  [mutation]='npm run mutate -- --blocks 3 --concurrency 2'
)
ORDER=(fuzz simulation windows moves interop recipe features coverage crash failover two-nodes soak bench bench-delivery
  bench-find bench-console mutation)

folder=build/nightly
report=build/nightly.md
mkdir -p "$folder"
status=0
{
  echo "# Nightly run of $(git rev-parse --short HEAD), $(date --iso-8601=minutes), Node $(node --version)"
  echo
  echo '| part | result | minutes | command |'
  echo '|---|---|---:|---|'
} >"$report"
for part in "${@:-${ORDER[@]}}"; do
  command=${PARTS[$part]:-}
  if [ -z "$command" ]; then
    echo "Error: unknown part $part. Expected: ${ORDER[*]}" >&2
    exit 2
  fi
  began=$SECONDS
  echo "== $part: $command"
  result=passed
  bash -c "$command" >"$folder/$part.txt" 2>&1 || {
    result=failed
    status=1
    tail -n 20 "$folder/$part.txt"
  }
  minutes=$(((SECONDS - began + 30) / 60))
  echo "-- $result, $minutes min"
  echo "| $part | $result | $minutes | \`$command\` |" >>"$report"
done
cat "$report"
exit "$status"
