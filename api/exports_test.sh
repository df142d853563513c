#!/bin/sh
# The library exports the functions that its header declares, as one version, and nothing else:
# exports_test.sh LIBRARY HEADER VERSION.
set -eu
exported=$(nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort)
declared=$(cc -E -P -Iapi/certificate "$2" | tr '\n' ' ' | sed 's/;/;\n/g' | grep 'visibility("default")' |
  sed 's/^.*visibility("default")))[^(]*[ *]\([A-Za-z_0-9]*\)(.*$/\1/' | sed "s/\$/@@$3/" | sort)
test -n "$declared"
if [ "$exported" != "$declared" ]; then
  printf 'exported:\n%s\ndeclared:\n%s\n' "$exported" "$declared"
  exit 1
fi
