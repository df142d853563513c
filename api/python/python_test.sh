#!/bin/sh
# Runs a test of the package by Debian's python3, whose NumPy is installed: python_test.sh TEST NATIVE TALLY.
# Helpers of tests of the tool are on its path too.
set -eu
python=/usr/bin/python3
if ! "$python" -c 'import numpy' 2>/dev/null; then
  echo "ran: use of libtally: Python: not run: python3-numpy not installed: ./dev setup bindings"
  exit
fi
if ldd "$2" | grep -q 'lib[atu]b*san'; then
  echo "ran: use of libtally: Python: not run: the library is built with a sanitizer, which the interpreter is not"
  exit
fi
echo "ran: use of libtally: Python: with Debian tools"
package=$TEST_TMPDIR/package
mkdir -p "$package"
cp -rL api/python/tally "$package"
cp -L "$2" "$package/tally/_native.so"
cp -L "$1" "$TEST_TMPDIR/test.py"  # away from the folder of the same name
PYTHONPATH=$package:$PWD/cli/tests TALLY_TOOL=$PWD/$3 exec "$python" -B "$TEST_TMPDIR/test.py"
