#!/bin/sh
# A release made twice is equal, byte by byte, and its packages need a C library of 2018 and no other:
# package_test.sh TALLY LIBRARY.. .
set -eu
if ! command -v dpkg-deb >/dev/null; then
  echo "ran: packages: Debian: not run: dpkg-dev not installed: ./dev setup package"
  exit
fi
if ldd "$2" | grep -q 'lib[atu]b*san'; then
  echo "ran: packages: Debian: not run: built with a sanitizer, which packages are not"
  exit
fi
export SOURCE_DATE_EPOCH=1700000000
architecture=$(dpkg --print-architecture)
mkdir "$TEST_TMPDIR/binaries"
cp -L "$@" "$TEST_TMPDIR/binaries"
for folder in one two; do
  /usr/bin/python3 tools/package/make_release.py "$TEST_TMPDIR/$folder" "$architecture=$TEST_TMPDIR/binaries" --packages-only --level 0 >/dev/null
done
diff -r "$TEST_TMPDIR/one" "$TEST_TMPDIR/two"
cd "$TEST_TMPDIR/one"
sha256sum --quiet --check SHA256SUMS
for package in libtally1 libtally-certificate; do
  test "$(dpkg-deb --field "$package"_*.deb Depends)" = "libc6 (>= 2.28)"
done
dpkg-deb --contents libtally1_*.deb >contents
grep -q '/libtally\.so\.1$' contents
# The libraries ask for those of the C library alone, in versions up to 2.28.
shift
for library; do
  case $library in *.a | */tally_minimal) continue ;; esac
  file=$TEST_TMPDIR/binaries/$(basename "$library")
  readelf --dynamic "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >needed
  if grep -vxE 'lib(c|m|dl|pthread|rt)\.so\.[0-9]+|ld-linux.*' needed; then
    echo "$library needs that library too"
    exit 1
  fi
  newest=$(readelf --version-info --wide "$file" | grep -o 'GLIBC_2[0-9.]*' | sort -Vu | tail -1)
  test "$(printf '%s\nGLIBC_2.28\n' "$newest" | sort -V | tail -1)" = GLIBC_2.28 || { echo "$library wants $newest"; exit 1; }
done
echo "ran: packages: Debian: made twice, with equal bytes; libraries want $newest at most"
