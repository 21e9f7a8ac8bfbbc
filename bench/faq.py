"""Questions and their topics: trains the model of bot/faq, and says how well it does.

    python -m bench.faq            five-fold cross-validation and milliseconds per question
    python -m bench.faq --write    trains on all phrasings and writes bot/faq/data/weights.json
    python -m bench.faq --on FILE  scores a CSV of question,topic (topic blank: out of scope)

Softmax regression by AdaGrad on sparse features, in plain Python: no library to install or load.
"""

import argparse
import csv
import math
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bot.faq.features import features
from bot.faq.model import WEIGHTS_FILE, Linear, packed, shipped
from bot.faq.phrasings import OUT_OF_SCOPE, TOPICS, Phrasing, digest, phrasings
from bot.faq.topics import topic_of

FOLDS = 5
PASSES = 8
RATE = 0.5
SHRINK = 1e-3
DATA = Path(__file__).parent.parent / "bot" / "faq" / "data"
LABELS = (*TOPICS, OUT_OF_SCOPE)


def train(learnt: Sequence[Phrasing]) -> Linear:
    """A model of `learnt`, the same one every time."""
    order = random.Random(7)  # noqa: S311 -- a repeatable shuffle
    rows = [(features(one.text), LABELS.index(one.topic)) for one in learnt]
    weights: dict[int, list[float]] = {}
    squares: dict[int, list[float]] = {}
    bias = [0.0] * len(LABELS)
    for _ in range(PASSES):
        order.shuffle(rows)
        for held, label in rows:
            _step(held, label, weights, squares, bias)
    return Linear(LABELS, weights, bias, digest())


def _step(
    held: dict[int, float],
    label: int,
    weights: dict[int, list[float]],
    squares: dict[int, list[float]],
    bias: list[float],
) -> None:
    scores = list(bias)
    for bucket, value in held.items():
        row = weights.setdefault(bucket, [0.0] * len(LABELS))
        squares.setdefault(bucket, [1e-2] * len(LABELS))
        for at, weight in enumerate(row):
            scores[at] += value * weight
    top = max(scores)
    raised = [math.exp(score - top) for score in scores]
    total = sum(raised)
    errors = [one / total - (at == label) for at, one in enumerate(raised)]
    for at, error in enumerate(errors):
        bias[at] -= 0.02 * error
    for bucket, value in held.items():
        row, seen = weights[bucket], squares[bucket]
        for at, error in enumerate(errors):
            slope = error * value + SHRINK * row[at]
            seen[at] += slope * slope
            row[at] -= RATE * slope / math.sqrt(seen[at])


def cross_validated(known: Sequence[Phrasing]) -> list[tuple[Phrasing, str | None, str, float]]:
    """Every phrasing with what a model that has not seen it says: the topic answered, the
    likeliest topic, and the confidence.
    """
    shuffled = list(known)
    random.Random(11).shuffle(shuffled)  # noqa: S311 -- a repeatable shuffle
    found = []
    for fold in range(FOLDS):
        model = train([one for at, one in enumerate(shuffled) if at % FOLDS != fold])
        for one in shuffled[fold::FOLDS]:
            guess = model.guess(one.text)
            found.append((one, topic_of(guess), guess.topic, guess.confidence))
    return found


def report(found: Sequence[tuple[Phrasing, str | None, str, float]], verbose: bool) -> None:
    """Print the score of `found`, and with `verbose` every error."""
    inside = [row for row in found if row[0].topic != OUT_OF_SCOPE]
    outside = [row for row in found if row[0].topic == OUT_OF_SCOPE]
    right = sum(row[2] == row[0].topic for row in inside)
    answered = [row for row in inside if row[1]]
    answered_right = sum(row[1] == row[0].topic for row in answered)
    wrongly = [row for row in outside if row[1]]
    said = len(answered) / len(inside)
    print(f"phrasings             {len(inside)} of topics, {len(outside)} out of scope")
    print(f"likeliest topic right {right / len(inside):.1%}")
    print(f"topics answered       {said:.1%}, right {answered_right / len(answered):.1%}")
    print(f"out of scope answered {len(wrongly) / len(outside):.1%}")
    if verbose:
        pairs = Counter((r[0].topic, r[2]) for r in inside if r[2] != r[0].topic)
        for (topic, said), count in pairs.most_common(25):
            print(f"  {count} x {topic} read as {said}")
        for row in [*wrongly, *(r for r in inside if r[2] != r[0].topic)]:
            print(f"  {row[0].topic}: {row[0].text!r} -> {row[2]} {row[3]:.2f}")


def milliseconds(texts: Sequence[str]) -> float:
    """Median time of one question on the shipped model."""
    model, taken = shipped(), []
    for text in texts:
        started = time.perf_counter()
        model.guess(text)
        taken.append(time.perf_counter() - started)
    return statistics.median(taken) * 1000


def score_file(path: Path) -> None:
    """Print how many rows of `path` the shipped model answers right."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = [(row["question"], row["topic"] if row["topic"] in TOPICS else None) for row in rows]
    right = sum(topic_of(shipped().guess(text)) == topic for text, topic in wanted)
    print(f"{right} of {len(rows)} right")


def main() -> None:
    """Do what the command line asks."""
    parser = argparse.ArgumentParser(description="Train and judge the topics of questions.")
    parser.add_argument("--write", action="store_true", help="write the weights file")
    parser.add_argument("--verbose", action="store_true", help="print every error")
    parser.add_argument("--on", type=Path, help="a CSV with question and topic")
    asked = parser.parse_args()
    if asked.write:
        (DATA / WEIGHTS_FILE).write_text(packed(train(phrasings())) + "\n", encoding="utf-8")
    elif asked.on:
        score_file(asked.on)
    else:
        report(cross_validated(phrasings()), asked.verbose)
        print(f"milliseconds          {milliseconds([one.text for one in phrasings()]):.2f}")


if __name__ == "__main__":
    main()
