"""Messages to answers: a topic, a plan, both or neither."""

import csv
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.cli import run
from bot.faq.asking import Asked, Where, ask, asked_about
from bot.faq.wording import paragraphs
from bot.language import words
from planner.query import Language

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
QUERIES = Path(__file__).parent.parent / "grammar" / "chat_queries.csv"

pytestmark = pytest.mark.usefixtures("empty_folder")


def asked(text: str, reader: Language = "en") -> Asked:
    return ask(text, reader, None, NOW)


def said(text: str) -> str:
    found = asked(text)
    return "\n".join(paragraphs(found, words(found.language)))


def planned_for() -> list[str]:
    with QUERIES.open(encoding="utf-8", newline="") as file:
        rows = [(row["text"], json.loads(row["expected"])) for row in csv.DictReader(file)]
    return [text for text, wanted in rows if wanted.get("command") in ("fit", "compare", "prices")]


@pytest.mark.parametrize("text", planned_for())
def test_a_plain_message_about_machines_gets_the_planners_answer(text: str) -> None:
    assert asked(text).planned is not None


def test_d134_work_of_another_kind_is_declined_with_the_topics() -> None:
    found = asked("/ask write me a langgraph agent")
    assert (found.topic, found.planned) == (None, None)
    line = said("/ask write me a langgraph agent")
    assert words("en").t("faq.topic_checkpointing") in line
    assert "langgraph" not in line


def test_d136_speed_and_memory_of_two_gpus_are_both_answered() -> None:
    text = "/ask 2 gpu = double speed or double vram?"
    assert asked(text).topic == "single_vs_multi_gpu"
    line = said(text)
    assert "speed" in line and "no memory per job" in line and "FSDP" in line


def test_h25_less_memory_without_a_bigger_gpu_comes_in_order_with_a_number() -> None:
    text = "/ask how do I shrink memory for falcon-7b without a bigger GPU"
    assert asked(text).topic == "vram_by_method"
    line = said(text)
    places = [line.index(word) for word in ("shorten the sequence", "micro-batch", "gradient")]
    assert line.index("shorten the sequence") == places[0] < line.index("lower the micro-batch")
    assert line.index("lower the micro-batch") < line.index("then switch gradient checkpointing on")
    assert f"{asked(text).facts.lora_short_gib:.1f} GiB" in line


def test_h37_a_stopped_pod_is_answered_in_two_halves_in_indonesian() -> None:
    found = asked("/ask saya stop pod, apakah checkpoint aman dan masih bayar?")
    assert (found.topic, found.language) == ("persistent_storage", "id")
    line = said("/ask saya stop pod, apakah checkpoint aman dan masih bayar?")
    assert "Soal file:" in line and "Soal tagihan:" in line
    assert "network volume" in line and "terminate" in line
    assert found.facts.facts_read_on in line


def test_a_plan_comes_before_the_general_point() -> None:
    found = asked("qlora llama 70b muat di 1x4090 gak?")
    assert found.planned is not None and found.language == "id"
    first = paragraphs(found, words("id"))[0]
    assert "GiB" in first and "RTX-4090" in first


@pytest.mark.parametrize(("where", "speaks"), [("unasked", False), ("asked", True), ("dm", True)])
def test_out_of_scope_is_quiet_only_where_nobody_asked(where: Where, speaks: bool) -> None:
    assert (asked_about("good morning all", "en", where, None, NOW) is not None) is speaks


def test_an_unasked_question_with_an_answer_is_answered() -> None:
    found = asked_about("is spot safe for a 12h training run?", "en", "unasked", None, NOW)
    assert found is not None and found.topic == "spot_vs_on_demand"


def test_ask_prints_its_keys_and_ends_with_0_or_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "does spot pay off for training?", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"topic", "plan", "answer", "language", "confidence", "links"}
    assert found["topic"] == "spot_vs_on_demand" and found["answer"]
    assert run(["ask", "who won the match", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["topic"], found["plan"], found["answer"]) == (None, None, None)
    assert run(["ask", ""]) == 2


def test_nothing_of_the_faq_loads_before_a_question() -> None:
    code = (
        "import sys; from bot.commands.registry import all_commands; from bot import cli, filters;"
        "all_commands(); sys.exit(any(name.startswith('bot.faq') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
