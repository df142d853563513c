#!/bin/bash
# Objects that are compiled for one instruction set define no weak symbol, and no other outside its namespace.
set -u
failures=0
symbols=0
for library in "$@"; do
  case "$library" in *.a) ;; *) continue ;; esac
  isa=$(sed -E 's/.*loops_([a-z0-9]+)\..*/\1/' <<<"$library")
  isa=${isa%.pic}
  while read -r kind name; do
    symbols=$((symbols + 1))
    case "$name" in _ZN5tally*"${#isa}${isa}"* | *asan* | *ubsan* | *tsan*) ;; *) kind=W ;; esac
    if [[ "$kind" == [WVu] ]]; then
      echo "$library defines $kind $name outside of $isa"
      failures=$((failures + 1))
    fi
  done < <(nm --defined-only "$library" 2>/dev/null | awk 'NF == 3 && $2 ~ /[A-Zu]/ { print $2, $3 }')
done
echo "$symbols symbols in $# archives, $failures outside"
((failures == 0 && symbols > 0))
