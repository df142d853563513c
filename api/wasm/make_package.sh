#!/usr/bin/env bash
# make_package.sh FOLDER WASM..: npm's package tally-vm as FOLDER/tally-vm, and packed beside it.
set -euo pipefail
to=$1/tally-vm
shift
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$to"
mkdir -p "$to/wasm"
cp -R "$here/package/." "$to"
cp "$here/../../LICENSE" "$to"
for module in "$@"; do install -m 644 "$module" "$to/wasm"; done
cd "$to/.."
rm -f tally-vm-*.tgz
npm pack --silent ./tally-vm >&2
