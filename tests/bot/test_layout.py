"""Plain text stays aligned and within its width, also in wide letters."""

from hypothesis import given
from hypothesis import strategies as st

from bot.layout import LABEL, WIDTH, cells, chain, fit, row, table, wrap
from bot.paint import unpainted


def test_wide_letters_take_two_columns_and_marks_none() -> None:
    assert cells("abc") == 3
    assert cells("模型") == 4
    assert cells("e\u0301") == 1


@given(st.text(max_size=300), st.integers(min_value=2, max_value=40))
def test_wrapped_lines_keep_every_word_and_the_width(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(cells(line) <= width for line in lines)


def test_wrapping_breaks_between_words() -> None:
    assert wrap("one two three", 7) == ["one two", "three"]
    assert wrap("unbreakable", 4) == ["unbr", "eaka", "ble"]


def test_a_label_stands_on_the_first_line_only() -> None:
    first, *rest = unpainted(row("Memory", "word " * 40)).splitlines()
    assert first.startswith("Memory      word")
    assert all(line.startswith(" " * LABEL + "word") for line in rest)


def test_a_chain_breaks_between_items_only() -> None:
    text = unpainted(chain("", [f"part {n}.5" for n in range(20)], " +"))
    assert all(line.endswith((" +", "19.5")) for line in text.splitlines())
    assert "part 0.5 + part 1.5" in text


def test_table_columns_line_up_on_the_side_asked_for() -> None:
    assert table([["a", "1.5"], ["模型", "10.25"]], "<>") == ["a       1.5", "模型  10.25"]


@given(st.lists(st.tuples(*[st.text(max_size=120)] * 5), min_size=1, max_size=6))
def test_a_table_never_exceeds_its_width(rows: list[tuple[str, ...]]) -> None:
    assert all(cells(line) <= WIDTH - LABEL for line in table(rows, "<<<>>"))


def test_what_is_cut_ends_in_an_ellipsis() -> None:
    assert fit("abcdef", 4) == "abc…"
    assert fit("模型模型", 4) == "模…"
    assert fit("abc", 3) == "abc"
