#!/usr/bin/env bash
# Runs a command of the image as its user, with a root file system that cannot be written but for /data:
# start.sh ROOT DATA COMMAND..., to be called through `unshare --mount`.
set -euo pipefail
root=$(realpath "$1")
data=$2
shift 2
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --bind "$data" "$root/data"
mount -o remount,ro,bind "$root"
exec chroot --userspec=10001:10001 "$root" /usr/local/bin/node \
  /opt/school-notifications/node_modules/school-notifications/dist/main.js "$@"
