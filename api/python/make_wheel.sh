#!/bin/sh
# Makes the wheel of the package, with the tool in it, from the root of the tree: make_wheel.sh NATIVE TALLY
# FOLDER [CPU]. CPU: x86_64 or aarch64, where both files need no more than a C library of 2018.
set -eu
version=$(sed -n 's/.*kVersion\[\] = "\(.*\)";.*/\1/p' base/release.h)
staged=$(mktemp -d)
trap 'rm -rf "$staged"' EXIT
cp -rL api/python/tally "$staged"
rm -rf "$staged"/tally/__pycache__ "$staged"/tally/*/__pycache__
mkdir "$staged/tally/bin"
cp -L "$1" "$staged/tally/_native.so"
cp -L "$2" "$staged/tally/bin/tally"
chmod -R u+w "$staged"
cp -L api/python/setup.py "$staged"
echo "$version" >"$staged/version"
printf '[bdist_wheel]\npy_limited_api = cp311\n' >"$staged/setup.cfg"
if [ -n "${4:-}" ]; then echo "plat_name = manylinux_2_28_$4" >>"$staged/setup.cfg"; fi
mkdir -p "$3"
(cd "$staged" && SOURCE_DATE_EPOCH=315532800 /usr/bin/python3 -m pip --quiet wheel --no-build-isolation --no-deps --no-index \
  --wheel-dir wheel . >&2)
cp "$staged"/wheel/*.whl "$3"
ls "$3"/tally-*.whl
