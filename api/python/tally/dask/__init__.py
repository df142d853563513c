"""Audits and comparisons by the workers of a Dask cluster (Debian's python3-distributed).

    from distributed import Client
    import tally.dask
    for verdict in tally.dask.audit(Client("tcp://host:8786"), receipts, "/shared/store", keys):
        ...

Workers need this package, and a store that they reach: a folder at the same path, or a function that can be pickled.
`python3 -m tally.dask` is what `tally audit --dask` runs.
"""

from tally.dask.audits import audit
from tally.dask.comparisons import compare

__all__ = ["audit", "compare"]
