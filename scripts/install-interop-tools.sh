#!/usr/bin/env bash
# Installs what `npm run test:interop` needs on a Debian 12 machine beyond Node: Mono with its proxy generators
# (wsdl, svcutil) and compiler (mcs), a JDK, JAX-WS with wsimport, PHP with its SOAP client, and zeep for Python. Run it
# as root; where all of them are there, it does nothing. Debian has no .NET: the SDK comes from Microsoft.
set -euo pipefail

packages=(mono-devel default-jdk-headless jaxws php-cli php-soap python3-zeep)
missing=()
for tool in mono wsdl svcutil mcs java javac keytool wsimport php; do
  command -v "$tool" >/dev/null || missing+=("$tool")
done
php -r 'exit(extension_loaded("soap") ? 0 : 1);' 2>/dev/null || missing+=(php-soap)
/usr/bin/python3 -c 'import zeep' 2>/dev/null || missing+=(python3-zeep)
command -v dotnet >/dev/null || echo 'Missing: the .NET SDK 10 (https://dotnet.microsoft.com/download)' >&2
[ ${#missing[@]} -eq 0 ] && exit

echo "Missing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
# Another package manager at work is waited for.
apt-get update -qq -o DPkg::Lock::Timeout=600
apt-get install -y -qq -o DPkg::Lock::Timeout=600 --no-install-recommends "${packages[@]}"
