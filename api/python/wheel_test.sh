#!/bin/sh
# A wheel installs into a fresh virtual environment, and runs the digits network there with the digest of
# the command line: wheel_test.sh NATIVE TALLY.
set -eu
export HOME=$TEST_TMPDIR
needed='("numpy", "pip", "setuptools", "venv", "wheel")'
if ! /usr/bin/python3 -c "import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, $needed)))"; then
  echo "ran: use of libtally: wheel of Python: not run: pip, venv, wheel or NumPy not installed: ./dev setup python"
  exit
fi
if ldd "$1" | grep -q 'lib[atu]b*san'; then
  echo "ran: use of libtally: wheel of Python: not run: it is built with a sanitizer, which the interpreter is not"
  exit
fi
echo "ran: use of libtally: wheel of Python: in a virtual environment"
wheel=$(api/python/make_wheel.sh "$1" "$2" "$TEST_TMPDIR/wheels")
/usr/bin/python3 -m venv --system-site-packages "$TEST_TMPDIR/venv"
"$TEST_TMPDIR/venv/bin/pip" --quiet install --no-index --no-deps "$wheel"
receipts=$PWD/examples/receipts/digits
model=$PWD/examples/digits/digits.onnx
"$2" quantize "$model" -o "$TEST_TMPDIR/d.tally" --input-grid image=1/16,0,0,16 --calibration "$receipts/calibration.json" \
  >/dev/null
expected=$("$2" run "$TEST_TMPDIR/d.tally" --input "image=$receipts/0.npy" -o "$TEST_TMPDIR" | sed -n 's/.*digest //p')
cd "$TEST_TMPDIR"
said=$(venv/bin/python3 -c "
import numpy, tally
module = tally.quantize('$model', input_grid='image=1/16,0,0,16', calibration='$receipts/calibration.json')
print(tally.digest(module.plan()(numpy.load('$receipts/0.npy'))))")
if [ "$said" != "$expected" ]; then
  echo "the wheel: $said, the command line: $expected"
  exit 1
fi
