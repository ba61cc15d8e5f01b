#!/usr/bin/env bash
# What an operator does with the installed package, from the first start to a move to PostgreSQL and back.
#
# usage: scripts/try-installed.sh FOLDER   in which the package is installed
# Needs PostgreSQL's programs and curl. Ends with an error at the first step that fails.
set -euo pipefail

program=$(realpath "$1")/node_modules/.bin/school-notifications
sample=$(dirname "$(dirname "$(realpath "$program")")")/scripts/sample-school
postgres=$(compgen -G '/usr/lib/postgresql/*/bin' | tail -n 1) || { echo 'PostgreSQL is not installed' >&2; exit 1; }
work=$(mktemp -d)
service=''
server=''

finish() {
  if [ -n "$service" ]; then kill -KILL "$service" 2>/dev/null || true; fi
  if [ -n "$server" ]; then as_server "$postgres/pg_ctl" -D "$work/postgres" -m immediate stop >/dev/null || true; fi
  rm -rf "$work"
}
trap finish EXIT

# PostgreSQL does not run for the system's administrator.
as_server() {
  if [ "$(id -u)" -eq 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

start() {
  : >"$work/err"
  "$program" start >"$work/log" 2>"$work/err" &
  service=$!
  for _ in $(seq 150); do
    if grep -q '^Press Ctrl-C' "$work/err"; then return; fi
    kill -0 "$service" || break
    sleep 0.2
  done
  cat "$work/err" "$work/log" >&2
  return 1
}

stop() {
  kill -TERM "$service"
  wait "$service"
  service=''
}

# A call over each binding, which must give the token of a device of the sample school.
call_each_binding() {
  local address namespace=http://tempuri.org/
  address=$(sed -n 's/^Listening on //p' "$work/err")/PushNotificationMobile.asmx
  envelope() {
    echo "<e:Envelope xmlns:e=\"$1\"><e:Body><GetTokenDevice xmlns=\"$namespace\"><id>DEV-1</id></GetTokenDevice></e:Body></e:Envelope>"
  }
  curl -fsS "$address/GetTokenDevice?id=DEV-1" | grep -q sample-token-01
  curl -fsS "$address/GetTokenDevice" -d id=DEV-1 | grep -q sample-token-01
  curl -fsS "$address" -H 'Content-Type: text/xml; charset=utf-8' -H "SOAPAction: \"${namespace}GetTokenDevice\"" \
    -d "$(envelope http://schemas.xmlsoap.org/soap/envelope/)" | grep -q sample-token-01
  curl -fsS "$address" -H 'Content-Type: application/soap+xml; charset=utf-8' \
    -d "$(envelope http://www.w3.org/2003/05/soap-envelope)" | grep -q sample-token-01
}

# The lines of tables in what a command says.
tables() {
  grep -E '^[a-z_]+ +[0-9,]+( +[0-9a-f]{16})?$' "$1"
}

cd "$work"
export PORT=0 ADMIN_PORT=0 DATA_DIR=$work/data DATABASE_URL=sqlite:$work/data/service.db

"$program" import "$sample" >/dev/null
start
call_each_binding
address=$(sed -n 's/^Listening on //p' "$work/err")
curl -fsS "$address/AuthCodeSending.asmx/AuthCode" -d 'code=1234&phone=5551112233' >/dev/null
"$program" backup "$work/kept.db" >backup.txt
stop
if "$program" restore "$work/kept.db" 2>refused.txt >/dev/null; then
  echo 'restore has overwritten a database' >&2
  exit 1
fi
"$program" restore "$work/kept.db" --replace >restore.txt
# Those of the schema's own library are counted, too.
diff <(tables backup.txt) <(tables restore.txt)
start
call_each_binding
stop

mkdir postgres
if [ "$(id -u)" -eq 0 ]; then chown postgres postgres && chmod 755 "$work"; fi
as_server "$postgres/initdb" -D "$work/postgres" -U school -A trust >/dev/null
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
as_server "$postgres/pg_ctl" -w -D "$work/postgres" -l "$work/postgres/log" \
  -o "-p $port -k $work/postgres -c listen_addresses=127.0.0.1" start >/dev/null
server=yes
there=postgres://school@127.0.0.1:$port/postgres
"$program" move --to "$there" >there.txt
DATABASE_URL=$there start
call_each_binding
stop
back=sqlite:$work/back/service.db
# What the service has counted meanwhile is moved back, too: the checksums are those of this moment.
DATABASE_URL=$there "$program" move --to "$back" >back.txt
DATABASE_URL=$back "$program" move --to "sqlite:$work/again/service.db" >again.txt
diff <(tables back.txt) <(tables again.txt)
# The school itself has not changed since it left.
school='^(schools|classes|students|devices|exams|exam_entries|note_types|notes) '
diff <(tables there.txt | grep -E "$school") <(tables back.txt | grep -E "$school")
DATABASE_URL=sqlite:$work/again/service.db start
call_each_binding
stop
echo 'The installed package starts, imports, answers, backs up, restores, and moves there and back.'
