"""What kernels a card runs, by its compute capability."""

from functools import cache

from planner.data_files import read_rows
from planner.gpus.gpu import Gpu


def lacks(gpu: Gpu, feature: str) -> bool:
    """Whether `gpu` is known to be too old for the kernels of `feature` ("flash", "fp8", "nf4").

    False where nobody states a limit, and for other makers' cards, which count capabilities
    otherwise.
    """
    least = _least_capability().get(feature)
    try:
        return least is not None and float(gpu.compute_capability) < least
    except ValueError:
        return False


@cache
def _least_capability() -> dict[str, float]:
    return {
        row["feature"]: float(row["min_compute_capability"])
        for row in read_rows("planner.gpus", "kernels.csv")
    }
