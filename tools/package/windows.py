"""The archive for Windows: tally.exe, the libraries as DLLs with what linkers want of them, headers, and the README's network."""

import os
import re
import subprocess
import zipfile
from time import gmtime

from binaries import DIGITS
from files import ROOT, digest_of, install, output

TRIPLET = "x86_64-w64-mingw32"
# The names of files that ./dev has built, and those that they have on Windows.
DLLS = {"libtally.so": "libtally-1", "libtally_certificate.so": "libtally_certificate"}
# Debian's packages of the sources that are compiled into them.
LINKED = ["libabsl-dev", "libjpeg62-turbo-dev", "libpng-dev", "libprotobuf-dev", "libpugixml-dev", "libsamplerate0-dev",
          "libsndfile1-dev", "libssl-dev", "libz-mingw-w64-dev", "g++-mingw-w64-x86-64-posix"]


def write_import_library(dll, library):
    """What GCC (.dll.a) and Microsoft's linker (.lib) want of a DLL: the same file."""
    exported = re.findall(r"^\t\[ *\d+\] .*?(tally_\w+)$", output(f"{TRIPLET}-objdump", "-p", dll), re.MULTILINE)
    definition = dll.parent / (library.name + ".def")
    definition.write_text("".join([f"LIBRARY {dll.name}\nEXPORTS\n", *(f"  {name}\n" for name in sorted(exported))]))
    library.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([f"{TRIPLET}-dlltool", "--deterministic-libraries", "-m", "i386:x86-64", "-d", definition, "-l", library], check=True)
    definition.unlink()


def write_zip(file, folder, prefix, time):
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(f"{prefix}/{path.relative_to(folder)}", gmtime(time)[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())


def write_windows(folder, binaries, number, time, staged):
    """Writes the archive. Its contents, as Packages has them: {path: sha256}, what it depends on, and what is linked into it."""
    install(binaries / "tally", staged / "bin/tally.exe")
    for built, name in DLLS.items():
        dll = staged / "bin" / (name + ".dll")
        install(binaries / built, dll)
        for end in (".dll.a", ".lib"):
            write_import_library(dll, staged / "lib" / (name.removesuffix("-1") + end))
    for header in ("api/c/tally.h", "api/c/tally.hpp", "api/c/tally_audit.h", "api/certificate/tally_certificate.h"):
        install(ROOT / header, staged / "include/tally" / os.path.basename(header))
    for file in DIGITS:
        install(ROOT / file, staged / "share/tally/digits" / os.path.basename(file))
    install(ROOT / "LICENSE", staged / "LICENSE")
    name = f"tally-{number}-windows-x86_64"
    write_zip(folder / f"{name}.zip", staged, name, time)
    files = {str(path.relative_to(staged)): digest_of(path) for path in sorted(staged.rglob("*")) if path.is_file()}
    return files, "", LINKED
