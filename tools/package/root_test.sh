#!/bin/sh
# Packages in a fresh Debian: root_test.sh FOLDER-OF-PACKAGES, from the root of the tree, as root and with a
# network. A root is made by debootstrap. There the first commands of the README install the packages and run,
# and then the tool, a program in C and Python give one digest of the digits network.
set -eu
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
  echo "root_test: skipped: it needs root and debootstrap (./dev setup package)" >&2
  exit
fi
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
debootstrap --variant=minbase bookworm "$root" >/dev/null
mkdir -p "$root/work/packages"
cp "$1"/*.deb "$root/work/packages"
cp examples/digits/data/calibration.npy examples/digits/data/seven.npy examples/digits/digits.onnx \
  examples/receipts/digits/0.npy examples/receipts/digits/calibration.json examples/embed/run_module.c "$root/work"
sed -n '/^    apt install/,/^$/s/^    //p' README.md >"$root/work/readme.sh"
test "$(wc -l <"$root/work/readme.sh")" = 4
cat >"$root/work/check.sh" <<'END'
set -eu
export DEBIAN_FRONTEND=noninteractive
cd /work
apt-get update -qq
apt() { apt-get -y -qq --no-install-recommends "$@"; }  # which does not ask
. ./readme.sh >readme.log
apt install gcc libc6-dev pkg-config >/dev/null
tally quantize digits.onnx -o digits.tally --input-grid image=1/16,0,0,16 --calibration calibration.json >/dev/null
tally run digits.tally --input image=0.npy -o out | sed -n 's/^  digest //p'
gcc -o run_module run_module.c $(pkg-config --cflags --libs tally)
./run_module digits.tally 0.npy | sed 's/.*digest //'
python3 -c "
import numpy, tally
module = tally.quantize('digits.onnx', calibration='calibration.json', input_grid='image=1/16,0,0,16')
print(tally.digest(module.plan()(numpy.load('0.npy'))))"
END
chroot "$root" sh /work/check.sh 2>"$root/log" >"$root/digests" || { cat "$root/log" "$root/digests"; exit 1; }
sort -u "$root/digests" >"$root/digest"
cat "$root/digest"
test "$(wc -l <"$root/digests")" = 3 && test "$(wc -l <"$root/digest")" = 1
echo "root_test: the tool, C and Python agree in a fresh Debian" >&2
