"""The source tree as checks of it see it: its files, and the targets of its BUILD files."""

import builtins
import functools
import pathlib
import types

ROOT = pathlib.Path(__file__).resolve().parents[1]  # resolves the symlinks of Bazel's runfiles


def files(suffixes=None):
    """Files of the tree, without hidden folders and Bazel's links to its outputs; those with one of `suffixes`, where they are given."""
    folders = [ROOT]
    while folders:
        for path in sorted(folders.pop().iterdir()):
            if path.name.startswith((".", "bazel-")) or path.name == "__pycache__":
                continue
            if path.is_dir():
                folders.append(path)
            elif suffixes is None or path.suffix in suffixes:
                yield path


class _Rule:
    """Anything that a BUILD file may call: rule(), attr.string() and the rules themselves. A call with a name declares a target."""

    def __init__(self, names):
        self.names = names

    def __call__(self, *args, name=None, outs=(), **kwargs):
        self.names.update([name] if name else [], outs if isinstance(outs, list) else [])
        return self

    def __getattr__(self, member):
        return self


class _Package(dict):
    """The names that a BUILD file or what it loads may use: every rule is a function that records its target."""

    def __init__(self, folder, names):
        super().__init__(vars(builtins))
        self.folder, self.names = folder, names
        self.update(load=self.load, struct=types.SimpleNamespace, glob=self.glob, native=self, select=lambda branches: next(iter(branches.values())),
                    package_name=lambda: str(folder.relative_to(ROOT)))

    def __missing__(self, rule):
        return _Rule(self.names)

    def __getattr__(self, rule):
        return self[rule]

    def load(self, label, *names, **renamed):
        if label.startswith("@"):
            return
        package, _, file = label.rpartition(":")
        path = (ROOT / package.removeprefix("//") if package else self.folder) / file
        loaded = _Package(self.folder, self.names)
        exec(compile(path.read_text(), path, "exec"), loaded)
        self.update({name: loaded[name] for name in names} | {name: loaded[of] for name, of in renamed.items()})

    def glob(self, include, exclude=(), **_):
        """Paths below the package, as Bazel's: `*` is within one folder."""
        found = {str(path.relative_to(self.folder)) for pattern in include for path in self.folder.glob(pattern) if path.is_file()}
        left_out = {str(path.relative_to(self.folder)) for pattern in exclude for path in self.folder.glob(pattern)}
        return sorted(found - left_out)


@functools.cache
def targets(folder):
    """The names of the targets that folder/BUILD declares; None where it is no package."""
    build = folder / "BUILD"
    if not build.is_file():
        return None
    names = set()
    exec(compile(build.read_text(), build, "exec"), _Package(folder, names))
    return names


def has_label(label):
    """Whether a label names a package, a target, a source file, or with `/...` a folder that has packages."""
    package, _, target = label.removeprefix("//").partition(":")
    if package.endswith("/..."):
        return any((ROOT / package[:-4]).rglob("BUILD"))
    names = targets(ROOT / package)
    return names is not None and (not target or target in names or (ROOT / package / target).is_file())
