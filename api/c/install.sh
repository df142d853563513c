#!/bin/sh
# Puts libtally where compilers, pkg-config and CMake look: install.sh PREFIX LIBRARY, from the root of the
# tree. Nothing in what is installed names PREFIX, so that it can be moved.
set -eu
prefix=$1
version=$(sed -n 's/.*kVersion\[\] = "\(.*\)";.*/\1/p' base/release.h)
mkdir -p "$prefix/lib/pkgconfig" "$prefix/lib/cmake/Tally" "$prefix/include/tally"
install -m 755 "$2" "$prefix/lib/libtally.so.1"
ln -sf libtally.so.1 "$prefix/lib/libtally.so"
install -m 644 api/c/tally.h api/c/tally.hpp api/certificate/tally_certificate.h "$prefix/include/tally"
install -m 644 api/c/TallyConfig.cmake "$prefix/lib/cmake/Tally"
sed "s/@VERSION@/$version/" api/c/tally.pc.in >"$prefix/lib/pkgconfig/tally.pc"
