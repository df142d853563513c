#!/usr/bin/env bash
# Where there is a GPU this measures little; where there is none, the program says why and succeeds.
set -euo pipefail
output=$("$1" --part products --only 1024 --quick)
echo "$output"
grep -qE '^(SKIPPED: engine cuda: |GPU: )' <<<"$output"
