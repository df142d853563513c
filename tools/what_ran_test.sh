#!/usr/bin/env bash
# The summary of two tests that passed and of one that did not.
set -euo pipefail
log() { printf '%s\n' "${@:2}" >"$TEST_TMPDIR/$1.log"; }
log a 'ran: sums: amx: not run: this machine lacks it' 'ran: sums: avx2: on this machine' '[ OK ] ran: no'
log b 'ran: sums: amx: by models' 'ran: cuda: a GPU: not run: libcuda: none' 'ran: sums: avx2: by models'
log c 'ran: engine: cpu: on this machine'
event() {
  echo '{"testResult":{"status":"'"$2"'","testActionOutput":[{"name":"test.log","uri":"file://'"$TEST_TMPDIR/$1"'.log"}]}}'
}
{ echo '{"progress":{}}'; event a PASSED; event b PASSED; event c FAILED; } >"$TEST_TMPDIR/events"
diff - <("$1" "$TEST_TMPDIR/events") <<'WANTED'
ran by models: sums: amx, avx2
ran on this machine: sums: avx2
not run: arm64: all (./dev arm64 does, under QEMU); cuda: a GPU (libcuda: none)
WANTED
