#!/usr/bin/env bash
# Installs what `npm run test:interop` needs on a Debian 12 machine beyond Node: Mono with its proxy generators
# (wsdl, svcutil) and compiler (mcs), a JDK, and JAX-WS with wsimport. Run it as root; where all of them are there,
# it does nothing.
set -euo pipefail

packages=(mono-devel default-jdk-headless jaxws)
missing=()
for tool in mono wsdl svcutil mcs java javac keytool wsimport; do
  command -v "$tool" >/dev/null || missing+=("$tool")
done
[ ${#missing[@]} -eq 0 ] && exit

echo "Missing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# Another package manager at work is waited for.
apt-get install -y -qq -o DPkg::Lock::Timeout=600 --no-install-recommends "${packages[@]}"
