#!/usr/bin/env bash
# Builds the image of packaging/Containerfile with buildah: build-with-buildah.sh PACKAGE FOLDER, where FOLDER has what
# bases.sh made. Leaves what is in the image in FOLDER/root and its configuration in FOLDER/image.json.
set -euo pipefail
containerfile=$(cd "$(dirname "$0")/../../../packaging" && pwd)/Containerfile
package=$(realpath "$1")
cd "$2"
images() { buildah --root "$PWD/storage" --runroot "$PWD/runroot" --storage-driver vfs "$@"; }

for base in runtime build; do
  container=$(images from scratch)
  images add -q "$container" "$base.tar" /
  if [ "$base" = build ]; then
    images config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
  fi
  images commit -q "$container" "localhost/$base"
  images rm "$container" >/dev/null
done

mkdir context
cp "$package" context/package.tgz
images build --isolation chroot --network host --format docker --build-arg BUILD=localhost/build \
  --build-arg RUNTIME=localhost/runtime --build-arg FILE=package.tgz -t localhost/service -f "$containerfile" context
images inspect --type image --format '{{.Config}}' localhost/service >image.json
ln -s "$(images mount "$(images from localhost/service)")" root
