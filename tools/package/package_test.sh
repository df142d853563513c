#!/bin/sh
# Packages made twice are equal, and name what they need: package_test.sh TALLY LIBTALLY NATIVE.
set -eu
if ! command -v dpkg-shlibdeps >/dev/null; then
  echo "ran: packages: Debian: not run: dpkg-dev not installed: ./dev setup package"
  exit
fi
export SOURCE_DATE_EPOCH=1700000000
for folder in one two; do
  /usr/bin/python3 tools/package/make_packages.py "$@" "$TEST_TMPDIR/$folder" >/dev/null
done
diff -r "$TEST_TMPDIR/one" "$TEST_TMPDIR/two"
cd "$TEST_TMPDIR/one"
sha256sum --quiet --check SHA256SUMS
for package in tally libtally1 libtally-dev python3-tally; do
  depends=$(dpkg-deb --field "$package"_*.deb Depends)
  test -n "$depends" || { echo "$package depends on nothing"; exit 1; }
done
dpkg-deb --contents libtally1_*.deb >contents
grep -q '/libtally\.so\.1$' contents
echo "ran: packages: Debian: made twice, with equal bytes"
