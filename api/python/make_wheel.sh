#!/bin/sh
# Makes the wheel of the package, with the tool in it, from the root of the tree: make_wheel.sh NATIVE TALLY
# FOLDER.
set -eu
version=$(sed -n 's/.*kVersion\[\] = "\(.*\)";.*/\1/p' base/release.h)
if [ "$version" = unreleased ]; then version=0.dev0; fi  # pip takes numbers
staged=$(mktemp -d)
trap 'rm -rf "$staged"' EXIT
cp -rL api/python/tally "$staged"
rm -rf "$staged/tally/__pycache__"
mkdir "$staged/tally/bin"
cp -L "$1" "$staged/tally/_native.so"
cp -L "$2" "$staged/tally/bin/tally"
chmod -R u+w "$staged"
cp -L api/python/setup.py "$staged"
echo "$version" >"$staged/version"
mkdir -p "$3"
(cd "$staged" && SOURCE_DATE_EPOCH=315532800 /usr/bin/python3 -m pip --quiet wheel --no-build-isolation --no-deps --no-index \
  --wheel-dir wheel . >&2)
cp "$staged"/wheel/*.whl "$3"
ls "$3"/tally-*.whl
