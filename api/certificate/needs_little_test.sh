#!/bin/sh
# The library exports one function, and asks nothing of the system but memory: no file, no thread, no network,
# no clock: needs_little_test.sh LIBRARY.
set -eu
exported=$(nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }')
if [ "$exported" != "tally_check_certificate@@TALLY_CERTIFICATE_1" ]; then
  printf 'exported:\n%s\n' "$exported"
  exit 1
fi
asked=$(nm -D --undefined-only "$1" | awk '{ print $2 }' | sed 's/@.*//')
for name in open open64 openat fopen fopen64 mmap mmap64 socket connect pthread_create fork execve dlopen system; do
  if echo "$asked" | grep -qx "$name"; then
    echo "the judge asks the system for $name"
    exit 1
  fi
done
test -n "$asked"
