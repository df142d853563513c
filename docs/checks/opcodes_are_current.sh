#!/bin/sh
# Usage: opcodes_are_current.sh COMMITTED GENERATED
diff -u "$1" "$2" && exit 0
echo "$1 does not say what the operator table says; refresh it: ./dev docs" >&2
exit 1
