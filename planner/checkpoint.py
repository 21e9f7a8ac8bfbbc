"""What a checkpoint holds, how long it takes to write, and how often to write it."""

from planner.memory.trained import Trained
from planner.units import GB, GIB

#: Bytes per second to storage that survives the machine: 1 Gb/s, assumed where nobody measured the
#: provider's.
ASSUMED_STORAGE_BYTES_PER_S = 1e9 / 8
#: Seconds that saving costs whatever its size: gathering, serialising, renaming. Assumed.
FIXED_SAVE_SECONDS = 5.0
#: Interruptions per hour of a machine nobody reclaims: one hardware or software failure in 20
#: days, assumed.
ASSUMED_FAILURES_PER_HOUR = 1 / 480
#: The one being written may be lost with the machine; two whole ones remain.
KEEP_LAST = 3


def checkpoint_gib(learned: Trained) -> float:
    """GiB of one resumable checkpoint: what is trained, and its optimizer states. A frozen base is
    not saved again.
    """
    return (learned.weight_bytes + learned.state_bytes) / GIB


def link_hours(size_gb: float) -> float:
    """Hours to move GB between a machine and storage or the internet, at the assumed rate."""
    return size_gb * GB / ASSUMED_STORAGE_BYTES_PER_S / 3600


def write_seconds(size_gib: float) -> float:
    """Seconds to write a checkpoint to storage that survives the machine, at the assumed rate."""
    return FIXED_SAVE_SECONDS + size_gib * GIB / ASSUMED_STORAGE_BYTES_PER_S


def load_seconds(size_gib: float, weights_gib: float) -> float:
    """Seconds from a new machine to the next step: base weights and checkpoint over the same
    link.
    """
    return FIXED_SAVE_SECONDS + (size_gib + weights_gib) * GIB / ASSUMED_STORAGE_BYTES_PER_S
