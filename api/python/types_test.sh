#!/bin/sh
# The types that the package states hold under mypy, and reach a program that uses it.
set -eu
if ! /usr/bin/python3 -c 'import mypy, numpy' 2>/dev/null; then
  echo "ran: use of libtally: types of Python: not run: mypy or python3-numpy not installed: ./dev setup bindings"
  exit
fi
echo "ran: use of libtally: types of Python: by Debian's mypy"
package=$TEST_TMPDIR/package
mkdir "$package"
cp -rL api/python/tally "$package"
cd "$package"
cat >good.py <<'END'
import tally

module: tally.Module = tally.load("m.tally", gas_limit=5)
plan = module.plan(threads=2)
results, receipt = plan.run_signed({"x": 1}, tally.Key.generate())
finding: tally.Finding = receipt.verify(tally.Key.generate().public)
lowest: int = module.params[0].lowest
page: str = tally.report("m.onnx", module).html
verdict: tally.Verdict = tally.audit("text", lambda name: None, threads=2)
END
cat >bad.py <<'END'
import tally

tally.load("m.tally", gas_limit="5")
tally.load("m.tally").plan(thread=2)
text: str = tally.Key.generate().public
END
mypy() { /usr/bin/python3 -m mypy --strict --cache-dir "$TEST_TMPDIR/cache" "$@"; }
printf '[mypy]\n[mypy-distributed.*]\nignore_missing_imports = True\nfollow_imports = skip\n' >mypy.ini
mypy tally good.py
mypy bad.py >said || true
test "$(grep -c ' error: ' said)" = 3 || { cat said; exit 1; }
