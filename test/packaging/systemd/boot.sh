#!/usr/bin/env bash
# Boots this machine's systemd beside it, in namespaces of its own, on a root file system of which every change is
# forgotten: boot.sh CGROUP INSTALLED NODE. CGROUP is a folder to be made, in which its groups of processes are;
# INSTALLED the one that the package is installed in, which appears as /opt/school-notifications.
set -euo pipefail
cgroup=$1
installed=$2
node=$3

if [ "${BESIDE:-}" != yes ]; then
  mkdir "$cgroup"
  echo $$ >"$cgroup/cgroup.procs"
  # It ends with whoever started it.
  BESIDE=yes exec unshare --mount --pid --fork --kill-child --uts --ipc --net --cgroup "$BASH" "$0" "$@"
fi

mount --make-rprivate /
space=$(mktemp -d)
mount -t tmpfs tmpfs "$space"
mkdir "$space/upper" "$space/work" "$space/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$space/upper,workdir=$space/work" "$space/root"
cd "$space/root"
mkdir -p opt/school-notifications
mount --bind "$installed" opt/school-notifications
# The unit finds Node where systemd looks for programs.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin command -v node >/dev/null || cp "$node" usr/local/bin/node

mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t tmpfs tmpfs sys/fs/cgroup
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs dev
cp -a /dev/{null,zero,full,random,urandom,tty} dev/
ln -s /proc/self/fd dev/fd
ln -s pts/ptmx dev/ptmx
for folder in run tmp dev/shm; do
  mkdir -p "$folder"
  mount -t tmpfs -o mode=1777 tmpfs "$folder"
done
mkdir dev/pts
ip link set lo up

# Nothing but what is tried.
rm -rf etc/systemd/system/* var/lib/school-notifications
printf '[Unit]\nDefaultDependencies=no\n' >etc/systemd/system/nothing.target
: >etc/machine-id
# A root that was only changed is none to systemd, whose sandboxes have roots of their own.
mkdir old
pivot_root . old
cd /
umount --lazy /old
rmdir /old
# Credentials are mounted by a process that shares this.
mount --make-rshared /
exec /usr/bin/env -i container=unshared PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  /lib/systemd/systemd --system --unit=nothing.target --log-target=console --log-level=notice --show-status=no
