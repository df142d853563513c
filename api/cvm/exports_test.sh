#!/bin/sh
# The library exports the functions that its header declares, twelve, and nothing else: exports_test.sh
# LIBRARY HEADER.
set -eu
exported=$(nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort)
declared=$(grep -o '^TALLY_CVM_EXPORT int CVMAPI[A-Za-z]*' "$2" | sed 's/.* //; s/$/@@TALLY_CVM_1/' | sort)
test "$(echo "$declared" | wc -l)" = 12
if [ "$exported" != "$declared" ]; then
  printf 'exported:\n%s\ndeclared:\n%s\n' "$exported" "$declared"
  exit 1
fi
