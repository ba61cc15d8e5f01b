#!/usr/bin/env bash
# Runs a command of a Containerfile in the file system of a stage, with the network of this machine:
# run-in-chroot.sh ROOT COMMAND NAME=VALUE..., to be called through `unshare --mount`.
set -euo pipefail
root=$1
command=$2
shift 2
mount --make-rprivate /
mkdir -p "$root/proc" "$root/dev" "$root/etc"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
for file in resolv.conf hosts; do
  [ -e "$root/etc/$file" ] || : >"$root/etc/$file"
  mount --bind "/etc/$file" "$root/etc/$file"
done
env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
  NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$@" chroot "$root" /bin/sh -c "$command"
