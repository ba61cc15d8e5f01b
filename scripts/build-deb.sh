#!/usr/bin/env bash
# Writes school-notifications_VERSION_ARCHITECTURE.deb: build-deb.sh [FOLDER [INSTALLED]], default: the current folder. It
# contains the program, its production dependencies and Node 24 from npm, since Debian's Node is older than the program
# needs. This Node has the SQLite that the store uses, so the package for older ones is left out. INSTALLED: a folder in
# which npm has installed the program already.
set -euo pipefail
out=$(realpath "${1:-.}")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=school-notifications
root=$work/root
lib=$root/usr/lib/$name
doc=$root/usr/share/doc/$name
umask 022

mkdir -p "$root/DEBIAN" "$lib/bin" "$doc/examples" "$work/node" "$work/program"
# npm tells an allowed script by its package.
echo '{ "private": true, "allowScripts": { "node": true } }' >"$work/node/package.json"
npm install --silent --no-fund --no-audit --prefix "$work/node" node@24
program=${2:-$work/program}
if [ $# -lt 2 ]; then
  npm pack --silent --pack-destination "$work" >"$work/packed"
  npm install --silent --no-fund --no-audit --omit=dev --prefix "$program" "$work/$(tail -n 1 "$work/packed")"
fi

strip -o "$lib/bin/node" "$work/node/node_modules/node/bin/node"
chmod 755 "$lib/bin/node"
cp -R "$program/node_modules" "$lib/"
rm -rf "$lib"/node_modules/{.bin,.package-lock.json,@photostructure,node-addon-api,node-gyp-build}
# What only editors and compilers read.
find "$lib/node_modules" -depth \( -name '.*' -o -name '*.map' -o -name '*.[cm]ts' -o -name '*.ts' \) -exec rm -rf {} +
find "$lib"/node_modules/* -name '*.html' -not -path "$lib/node_modules/$name/*" -delete
find "$lib/node_modules" -type f -exec chmod 644 {} +
# For this Node, not the one that built the package.
rm -f "$lib/node_modules/$name"/dist/*.cache
"$lib/bin/node" "$lib/node_modules/$name/scripts/code-cache.cjs" >/dev/null
packaging=$lib/node_modules/$name/packaging

install -D -m 640 "$packaging/settings.env" "$root/etc/$name/settings.env"
install -m 644 "$packaging/secrets.conf" "$packaging"/nginx*.conf "$doc/examples/"
mkdir -p "$root/usr/bin" "$root/lib/systemd/system"
sed "s|^program=.*|program='/usr/lib/$name/bin/node /usr/lib/$name/node_modules/$name/dist/main.js'|; s|\"\$program\"|\$program|" \
  "$packaging/$name.sh" >"$root/usr/bin/$name"
chmod 755 "$root/usr/bin/$name"
sed "s|^ExecStart=.*|ExecStart=/usr/bin/$name start|" "$packaging/$name.service" >"$root/lib/systemd/system/$name.service"
cp "$packaging/deb/copyright" "$doc/"
cp "$work"/node/node_modules/node/node_modules/node-*/LICENSE "$doc/node.LICENSE"
install -D -m 644 "$packaging/deb/lintian-overrides" "$root/usr/share/lintian/overrides/$name"
version=$(node -p 'require("./package.json").version')
maintainer=$(sed -n 's/^Maintainer: //p' "$packaging/deb/control")
printf '%s\n\n' "$name ($version) unstable; urgency=medium" \
  "  * See /usr/lib/$name/node_modules/$name/CHANGELOG.md." " -- $maintainer  $(date -R)" | gzip -9n >"$doc/changelog.gz"
architecture=$(dpkg --print-architecture)
install -m 755 "$packaging"/deb/{postinst,prerm,postrm} "$root/DEBIAN/"
echo "/etc/$name/settings.env" >"$root/DEBIAN/conffiles"
sed "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/; s/@SIZE@/$(du -sk --exclude=DEBIAN "$root" | cut -f1)/" \
  "$packaging/deb/control" >"$root/DEBIAN/control"
(cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
dpkg-deb --root-owner-group -Zxz -z1 --build "$root" "$out/${name}_${version}_$architecture.deb"
