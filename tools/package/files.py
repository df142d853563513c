"""Files of packages: the version, times that are equal in equal releases, and archives without a trace of who made them."""

import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tarfile

ROOT = pathlib.Path.cwd()
SUMMARY = "integer-only, deterministic inference for verifiable computation"


def output(*command, **kwargs):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8", **kwargs).stdout.strip()


def version():
    return re.search(r'kVersion\[\] = "(.*)"', (ROOT / "base/release.h").read_text())[1]


def epoch():
    """The time of all files: SOURCE_DATE_EPOCH, or that of the last commit."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    return int(output("git", "log", "-1", "--format=%ct"))


def install(source, target, mode=0o644):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def write(target, content, mode=0o644):
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    target.chmod(mode)


def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def finish(folder, time):
    """Gives every file and folder the same time and plain permissions."""
    for path in sorted(folder.rglob("*"), reverse=True) + [folder]:
        if not path.is_symlink() and path.is_dir():
            path.chmod(0o755)
        os.utime(path, (time, time), follow_symlinks=False)


def write_archive(file, folder, prefix, time):
    """A tar.gz of all that is in `folder`, below `prefix`."""
    def plain(info):
        info.uid = info.gid = 0
        info.uname = info.gname = "root"
        info.mtime = time
        return info

    finish(folder, time)
    with open(file, "wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=time) as zipped:
        with tarfile.open(fileobj=zipped, mode="w", format=tarfile.GNU_FORMAT) as tar:
            for path in sorted(folder.rglob("*")):
                tar.add(path, f"{prefix}/{path.relative_to(folder)}", recursive=False, filter=plain)
    return file


def write_checksums(folder):
    """SHA256SUMS of all other files of the folder."""
    files = [file for file in sorted(folder.iterdir()) if not file.name.startswith("SHA256SUMS")]
    (folder / "SHA256SUMS").write_text("".join(f"{digest_of(file)}  {file.name}\n" for file in files))
