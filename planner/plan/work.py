"""How much there is to train: tokens over all epochs, from what the asker said."""

from typing import NamedTuple

from planner.memory.setup import Setup
from planner.notes import Note, note
from planner.query import PlanQuery
from planner.units import GB

DEFAULT_TOKENS = 10_000_000
DEFAULT_GLOBAL_BATCH = 16
#: Pictures that an image model is trained on where nobody said how many.
DEFAULT_PICTURES = 5_000
#: Tokens of one sample that is padded rather than packed, where nobody said how long samples are.
DEFAULT_SAMPLE_TOKENS = 512
#: Size of the data where nobody says: text of 5 bytes a token, pictures of 1 MB. Assumed.
BYTES_PER_TOKEN = 5.0
BYTES_PER_PICTURE = 1e6


class Work(NamedTuple):
    """Tokens and sequences that the whole run trains on, the sequences of one step, and the GB of
    data that has to be brought to the machine.
    """

    tokens: float
    sequences: float
    global_batch: int
    data_gb: float
    assumptions: tuple[Note, ...]


def sample_tokens(setup: Setup) -> int | None:
    """The mean length of samples that are not packed; None where they fill whole sequences."""
    if setup.lengths_are_equal or setup.kind != "text":
        return None
    return min(setup.seq_len, DEFAULT_SAMPLE_TOKENS)


def work(query: PlanQuery, seq_len: int, *, of_pictures: bool = False) -> Work:
    """The work of `query`: tokens x epochs, or samples x tokens per sample x epochs.

    Packed samples fill `seq_len` tokens each; unpacked ones count 512 unless the text says
    otherwise. Image and video models count pictures (or clips) of `seq_len` tokens instead.
    """
    notes: list[Note] = []
    epochs = query.epochs or 1.0
    packed = of_pictures or query.training.packing is not False
    if query.tokens is not None:
        per_epoch: float = query.tokens
        per_sequence = seq_len
    elif query.samples is not None:
        per_sequence = seq_len if packed else min(seq_len, DEFAULT_SAMPLE_TOKENS)
        per_epoch = query.samples * per_sequence
        notes.append(note("plan.assumed_sample_tokens", tokens=per_sequence))
    elif of_pictures:
        per_sequence = seq_len
        per_epoch = DEFAULT_PICTURES * seq_len
        notes.append(note("plan.assumed_pictures", samples=DEFAULT_PICTURES, tokens=seq_len))
    else:
        per_epoch = DEFAULT_TOKENS
        per_sequence = seq_len
        notes.append(note("plan.assumed_tokens", tokens=DEFAULT_TOKENS))
    if query.epochs is None:
        notes.append(note("plan.assumed_one_epoch"))
    global_batch = query.training.global_batch or DEFAULT_GLOBAL_BATCH
    if query.training.global_batch is None:
        notes.append(note("plan.assumed_global_batch", sequences=DEFAULT_GLOBAL_BATCH))
    tokens = per_epoch * epochs
    data_bytes = per_epoch * BYTES_PER_TOKEN
    if of_pictures:
        data_bytes = per_epoch / per_sequence * BYTES_PER_PICTURE
    return Work(
        tokens=tokens,
        sequences=tokens / per_sequence,
        global_batch=global_batch,
        data_gb=query.dataset_gb or data_bytes / GB,
        assumptions=tuple(notes),
    )
