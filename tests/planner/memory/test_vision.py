"""Vision-language models: towers, and pictures inside the sequence. Bands come from measured runs
of ms-swift and axolotl (planner/accuracy/data/vision_runs.csv)."""

from collections.abc import Callable

import pytest

from planner.memory.result import MemoryEstimate
from planner.memory.setup import Setup
from planner.models.registry import every_id, resolve
from planner.models.vision import tower_of

EstimateOf = Callable[..., MemoryEstimate]
SetupOf = Callable[..., Setup]
_ZERO = {"stack": "ms-swift", "sharding": "zero2", "master_weights": True, "lora_rank": 8}


def _codes(found: MemoryEstimate) -> set[str]:
    return {one.code for one in (*found.assumptions, *found.warnings)}


@pytest.mark.parametrize(
    ("model", "resolution", "patches", "tokens"),
    [
        ("qwen2.5-vl-7b", 448, 1024, 256),  # 32 x 32 patches of 14 pixels, merged 2 x 2
        ("qwen2.5-vl-7b", 1024, 5476, 1369),
        ("qwen3-vl-8b", 1024, 4096, 1024),  # patches of 16 pixels
        ("gemma-3-4b-it", 2000, 4096, 256),  # always 896 pixels
        ("llava-1.5-7b", 224, 576, 576),
        ("internvl3-8b", 448, 1024, 256),
        ("internvl3-8b", 900, 10240, 2560),  # nine tiles and the whole
        ("llama-3.2-11b-vision", 560, 1600, 0),  # cross-attention
        ("qwen2.5-vl-7b", 9999, 65536, 16384),  # the processor's limit
    ],
)
def test_a_picture_in_patches_and_tokens(
    model: str, resolution: int, patches: int, tokens: int
) -> None:
    tower = tower_of(resolve(model).architecture)
    assert tower is not None
    assert tower.patches(resolution) == patches
    assert tower.tokens(patches) == tokens


def test_more_pixels_and_more_pictures_never_need_less(estimate_of: EstimateOf) -> None:
    sizes = [
        estimate_of("qwen2.5-vl-7b", "lora", seq_len=1024, images=1, resolution=side).peak_gib
        for side in (224, 448, 896, 1792)
    ]
    assert sizes == sorted(sizes)
    assert sizes[-1] > sizes[0] + 1
    many = [
        estimate_of("qwen2.5-vl-7b", "full", images=count, resolution=896).allocated_gib
        for count in (0, 1, 4, 8)
    ]
    assert many == sorted(many)


def test_pictures_count_inside_the_length_until_they_exceed_it(setup_of: SetupOf) -> None:
    inside = setup_of("qwen2.5-vl-7b", "lora", seq_len=4096, images=2, resolution=1024)
    assert (inside.seq_len, inside.patches_per_sequence) == (4096, 2 * 5476)
    beyond = setup_of("qwen2.5-vl-7b", "lora", seq_len=2048, images=2, resolution=1024)
    assert beyond.seq_len == 2 * 1369


def test_pictures_nobody_described_fit_the_sequence(estimate_of: EstimateOf) -> None:
    found = estimate_of("qwen2.5-vl-7b", "lora", seq_len=512, gradient_checkpointing="full")
    settings = found.assumptions[0].values["settings"]
    assert isinstance(settings, tuple)
    assert {"images=1", "resolution=1024"} <= set(settings)
    assert "memory.pictures_inside" in _codes(found)
    assert "memory.pictures_lengthen" not in _codes(found)


def test_text_alone_leaves_the_tower_its_weights(estimate_of: EstimateOf) -> None:
    """Without pictures the tower is 0.68 of 8.29 B parameters and nothing more."""
    text = estimate_of("qwen2.5-vl-7b", "lora", images=0, stack="ms-swift")
    pictures = estimate_of("qwen2.5-vl-7b", "lora", images=1, stack="ms-swift")
    assert text.breakdown.weights == pictures.breakdown.weights
    assert text.breakdown.weights == pytest.approx(8_292_166_656 * 2 / 2**30)
    assert "memory.pictures_inside" not in _codes(text)


def test_a_frozen_tower_keeps_nothing(estimate_of: EstimateOf, setup_of: SetupOf) -> None:
    """ms-swift freezes the tower in full fine-tuning; the Trainer trains it."""
    said = {"images": 4, "resolution": 896, "seq_len": 8192, "gradient_checkpointing": "none"}
    assert not setup_of("qwen2.5-vl-7b", "full", stack="ms-swift").trains_tower
    assert setup_of("qwen2.5-vl-7b", "full", stack="hf-trainer").trains_tower
    frozen = estimate_of("qwen2.5-vl-7b", "full", stack="ms-swift", precision="amp", **said)
    trained = estimate_of("qwen2.5-vl-7b", "full", stack="hf-trainer", precision="amp", **said)
    assert trained.trainable_params - frozen.trainable_params == 676_550_144
    # 16,384 patches x 32 layers x 1,280 hidden x 55 bytes is 34 GiB of activations alone
    assert trained.breakdown.activations - frozen.breakdown.activations == pytest.approx(34.6, 0.05)


def test_adapters_on_every_linear_reach_the_tower_where_the_stack_lets_them(
    estimate_of: EstimateOf,
) -> None:
    inside = estimate_of("qwen2.5-vl-7b", "lora", lora_rank=8, stack="hf-trl")
    outside = estimate_of("qwen2.5-vl-7b", "lora", lora_rank=8, stack="ms-swift")
    layers = 32 * (8 * 1280 + 3 * (1280 + 3420))
    assert inside.trainable_params - outside.trainable_params == 8 * layers


@pytest.mark.parametrize(
    ("model", "said", "low", "high"),
    [
        # swiftex-124 and -125: 36 GiB reserved
        ("Qwen/Qwen2.5-VL-7B-Instruct", {"seq_len": 8192, "gpus": 4, **_ZERO}, 33, 39),
        # swiftex-123: 32 GiB reserved; the talker stands beside the thinker
        ("Qwen/Qwen2.5-Omni-7B", {"seq_len": 4096, "gpus": 4, **_ZERO}, 29, 35),
        # swiftex-075: 21 GiB reserved
        ("Qwen/Qwen3-VL-4B-Instruct", {"seq_len": 4096, "gpus": 2, **_ZERO}, 18, 24),
    ],
)
def test_packed_runs_of_ms_swift(
    estimate_of: EstimateOf, model: str, said: dict[str, object], low: float, high: float
) -> None:
    found = estimate_of(model, "lora", packing=True, micro_batch=1, attention="flash", **said)
    assert low <= found.reserved_gib <= high
    assert found.evidence == "formula"


def test_a_quantised_base_shrinks_the_tower_too(estimate_of: EstimateOf) -> None:
    """axolotlv-006: Voxtral Mini in NF4 with an audio tower of 0.66 B took 4.4 to 4.9 GiB."""
    found = estimate_of(
        "voxtral", "qlora", stack="axolotl", lora_rank=32, seq_len=2048, loss="fused_linear",
        optimizer="adamw-8bit", lora_targets="q,k,v,o,gate,up,down",
    )  # fmt: skip
    assert 4.0 <= found.allocated_gib <= 5.2
    assert "memory.rough_vision" in _codes(found)


def test_every_tower_belongs_to_a_model() -> None:
    with_tower = [hf_id for hf_id in every_id() if tower_of(resolve(hf_id).architecture)]
    assert len(with_tower) > 40
    for hf_id in with_tower:
        tower = tower_of(resolve(hf_id).architecture)
        assert tower is not None
        assert tower.patches(1024) >= tower.tokens(tower.patches(1024))
        mlp = tower.mlp_linears * tower.hidden * tower.intermediate
        layers = tower.layers * (4 * tower.hidden**2 + mlp)
        whole = resolve(hf_id).architecture.vision_params
        assert whole is None or layers < 1.05 * whole


def test_a_language_model_with_a_tower_sees_pictures_only_when_told(setup_of: SetupOf) -> None:
    """Qwen3.5 reads pictures, but is mostly tuned on text; Qwen3-VL is not."""
    assert setup_of("qwen3.5-9b", "lora").patches_per_sequence == 0
    assert setup_of("qwen3.5-9b", "lora", images=1, resolution=512).patches_per_sequence == 1024
    assert setup_of("qwen3-vl-8b", "lora").patches_per_sequence > 0
