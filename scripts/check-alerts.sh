#!/usr/bin/env bash
# Checks the alerts and the example for Prometheus, and runs the alerts' own tests. Needs promtool: Debian's package
# `prometheus` has it.
set -euo pipefail
cd "$(dirname "$0")/../packaging/prometheus"

if ! command -v promtool >/dev/null; then
  echo 'promtool is missing. On Debian: apt-get install --no-install-recommends prometheus' >&2
  exit 1
fi
promtool check rules rules.yml
promtool check config prometheus.yml
promtool test rules rules.test.yml
