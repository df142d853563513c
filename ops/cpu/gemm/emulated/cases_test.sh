#!/usr/bin/env bash
# Every intrinsic that a kernel uses has a case that compares its model with the instruction.
set -euo pipefail
cd "$(dirname "$0")"
used=$(grep -hoE '\b(_mm[0-9]*_[a-z0-9_]+|_tile_[a-z]+|v[a-z0-9]+_[a-z_]*[su](8|16|32|64)[a-z0-9_]*)\(' ../x86_*.cc ../arm64_*.cc ../*.h | tr -d '(' | sort -u)
[ "$(wc -l <<<"$used")" -ge 130 ] || { echo "found only: $used"; exit 1; }
missing=0
for name in $used; do
  grep -qE "TALLY_[0-9A-Z]+\($name\b|\"([^\"]* )?$name[ \"]" ./*_cases.cc || { echo "no case for $name"; missing=1; }
done
exit $missing
