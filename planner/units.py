"""Units: the only place that converts between them."""

#: Bytes in one GiB.
GIB = 2**30
#: Bytes in one GB, as disks and networks count.
GB = 10**9


def gib(size_bytes: float) -> float:
    """Bytes as GiB."""
    return size_bytes / GIB


def gb_from_gib(size_gib: float) -> float:
    """GiB as GB."""
    return size_gib * GIB / GB
