"""The wheel of a package that is built already: make_wheel.sh puts the native part and the tool beside the sources."""

import pathlib

from setuptools import Distribution, setup


class BuiltDistribution(Distribution):
    def has_ext_modules(self):
        return True  # for this interpreter and this machine


setup(
    name="tally",
    version=pathlib.Path("version").read_text().strip(),
    description="Integer-only, deterministic inference for verifiable computation",
    license="Apache-2.0",
    packages=["tally", "tally.dask"],
    package_data={"tally": ["*.so", "*.pyi", "py.typed", "bin/tally"]},
    python_requires=">=3.11",
    install_requires=["numpy"],
    extras_require={"dask": ["distributed"]},
    distclass=BuiltDistribution,
    zip_safe=False,
)
