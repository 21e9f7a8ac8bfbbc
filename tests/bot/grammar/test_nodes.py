"""How many GPUs there are in all where a text names nodes."""

import pytest

from bot.grammar import read


@pytest.mark.parametrize(
    ("text", "gpu_count", "nodes", "code"),
    [
        ("llama 70b full 4 nodes of 8x H100 SXM", 32, 4, "grammar.gpus_per_node"),
        ("llama 70b full 2 nodes 8xH100", 16, 2, "grammar.gpus_per_node"),
        ("llama 70b full on 2 nodes with 8x h100 each", 16, 2, "grammar.gpus_per_node"),
        ("llama 70b full di 2 node isi 8x h100", 16, 2, "grammar.gpus_per_node"),
        ("llama 70b full 16x h100 on 2 nodes", 16, 2, "grammar.gpus_over_nodes"),
        ("llama 70b full 16x h100 di 2 node", 16, 2, "grammar.gpus_over_nodes"),
        ("llama 70b full 8 gpus across 2 nodes", 8, 2, "grammar.gpus_over_nodes"),
    ],
)
def test_gpus_beside_nodes_are_counted_over_all_nodes_and_the_reading_is_said(
    text: str, gpu_count: int, nodes: int, code: str
) -> None:
    command = read(text)
    assert (command.gpu_count, command.nodes) == (gpu_count, nodes)
    assert code in [note.code for note in command.notes]
    assert "grammar.not_understood" not in [note.code for note in command.notes]


@pytest.mark.parametrize("text", ["llama 70b full gpus=16 nodes=2 h100", "llama 70b 8x h100"])
def test_keys_and_a_single_machine_are_taken_as_typed(text: str) -> None:
    command = read(text)
    assert command.gpu_count in {16, 8}
    assert not [note for note in command.notes if note.code.startswith("grammar.gpus_")]


def test_nodes_of_a_card_without_a_number_leave_the_number_to_the_plan() -> None:
    command = read("llama 70b full h100 2 nodes")
    assert (command.gpu_count, command.nodes) == (None, 2)
