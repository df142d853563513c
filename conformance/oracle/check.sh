#!/bin/sh
# Every committed vector file is what its independent definition in Python gives: check.sh SCRIPT...
set -e
for script in "$@"; do
  python3 "$script" --check
done
