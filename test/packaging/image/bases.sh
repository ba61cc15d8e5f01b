#!/usr/bin/env bash
# Makes what packaging/Containerfile stands on, of Debian's packages and of the Node 24 of npm, since no registry of
# images need be reachable: bases.sh FOLDER. Leaves FOLDER/build.tar and FOLDER/runtime.tar.
set -euo pipefail
cd "$1"

mkdir node
# npm tells an allowed script by its package.
echo '{ "private": true, "allowScripts": { "node": true } }' >node/package.json
npm install --silent --no-fund --no-audit --prefix node node@24
npm=$(dirname "$(dirname "$(realpath "$(command -v npm)")")")
libraries=base-files,libc6,libstdc++6,libgcc-s1
mmdebstrap --quiet --variant=extract --include="$libraries" bookworm runtime.tar
mmdebstrap --quiet --variant=extract --include="$libraries,dash,coreutils,libc-bin" bookworm build
mkdir -p build/usr/local/bin build/usr/local/lib build/etc/ssl/certs
cp node/node_modules/node/bin/node build/usr/local/bin/
cp -R "$npm" build/usr/local/lib/npm
ln -s ../lib/npm/bin/npm-cli.js build/usr/local/bin/npm
cp /etc/ssl/certs/ca-certificates.crt build/etc/ssl/certs/
tar --create --numeric-owner --file build.tar --directory build .
