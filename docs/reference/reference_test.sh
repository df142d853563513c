#!/bin/sh
# Every function that the library exports has a page of doxygen's with its words: reference_test.sh HEADER....
set -eu
if ! command -v doxygen >/dev/null; then
  echo "ran: reference: C interface: not run: doxygen not installed: ./dev setup reference"
  exit
fi
echo "ran: reference: C interface: with doxygen"
docs/reference/make "$TEST_TMPDIR"
functions=$(sed -n 's/^TALLY_[A-Z_]* [a-z].* \**\(tally_[a-z_]*\)(.*/\1/p' "$@")
test -n "$functions"
for function in $functions; do
  grep -q "$function()" "$TEST_TMPDIR"/html/group__*.html || { echo "$function has no page"; exit 1; }
done
