#!/bin/sh
# Whether the operator table of the contracts is that of the code.
set -eu
"$1" "$2" | diff "$3" - && exit
echo "chain/contracts/Operators.sol is not what chain/gen_operators.py writes: run ./dev docs" >&2
exit 1
