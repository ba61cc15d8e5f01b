#!/usr/bin/env bash
# Installs what `npm run test:interop` needs on a Debian 12 machine beyond Node: Mono with its proxy generators
# (wsdl, svcutil) and compiler (mcs), a JDK, and JAX-WS with wsimport. Run it as root.
set -euo pipefail

packages=(mono-devel default-jdk-headless jaxws)

# Another package manager at work is waited for.
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq -o DPkg::Lock::Timeout=600 --no-install-recommends "${packages[@]}"
