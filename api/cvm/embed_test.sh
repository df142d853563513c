#!/bin/sh
# A program in C runs networks of a sixteenth of their width: embed_test.sh EMBED WRITE_CVM_MODELS.
set -eu
export TALLY_CVM_LOG=1
"$2" "$TEST_TMPDIR" 16
for model in resnet50 mobilenet_v1; do
  "$1" "$TEST_TMPDIR/$model.json" "$TEST_TMPDIR/$model.params"
done
if "$1" "$TEST_TMPDIR/resnet50.json" "$TEST_TMPDIR/mobilenet_v1.params"; then
  echo "parameters of another network were accepted" >&2
  exit 1
fi
