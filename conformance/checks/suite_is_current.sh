#!/bin/sh
# The committed suite is what the vectors and the tool make of it: suite_is_current.sh WRITE_SUITE.
set -e
"$1" "$TEST_TMPDIR/suite" > "$TEST_TMPDIR/log"
cd conformance
for file in $(cd "$TEST_TMPDIR/suite" && find . -name '*.json') $(find . -name '*.json'); do
  cmp "$file" "$TEST_TMPDIR/suite/$file" || { echo "conformance/$file is stale; refresh it: ./dev docs" >&2; exit 1; }
done
cat "$TEST_TMPDIR/log"
