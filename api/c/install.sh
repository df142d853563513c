#!/bin/sh
# Puts libtally where compilers, pkg-config and CMake look: install.sh PREFIX LIBRARY.., from the root of the
# tree. LIBRARY: libtally.so, and as wanted libtally.a, libtally_certificate.so, libtally_certificate.a.
# Nothing in what is installed names PREFIX, so that it can be moved.
set -eu
prefix=$1
shift
version=$(sed -n 's/.*kVersion\[\] = "\(.*\)";.*/\1/p' base/release.h)
mkdir -p "$prefix/lib/pkgconfig" "$prefix/lib/cmake/Tally" "$prefix/include/tally"
for library; do
  case $library in
    *.a) install -m 644 "$library" "$prefix/lib" ;;
    */libtally.so)
      install -m 755 "$library" "$prefix/lib/libtally.so.1"
      ln -sf libtally.so.1 "$prefix/lib/libtally.so"
      ;;
    *) install -m 755 "$library" "$prefix/lib" ;;
  esac
done
install -m 644 api/c/tally.h api/c/tally.hpp api/c/tally_audit.h api/certificate/tally_certificate.h "$prefix/include/tally"
install -m 644 api/c/TallyConfig.cmake "$prefix/lib/cmake/Tally"
sed "s/@VERSION@/$version/" api/c/TallyConfigVersion.cmake.in >"$prefix/lib/cmake/Tally/TallyConfigVersion.cmake"
sed "s/@VERSION@/$version/" api/c/tally.pc.in >"$prefix/lib/pkgconfig/tally.pc"
