"""Names people type, ids of the hub and their siblings find the right architecture."""

from collections import defaultdict

import pytest

from planner.data_files import read_rows
from planner.errors import BadInput
from planner.models import registry
from planner.models.names import normalise

LLAMA_70B = "meta-llama/Llama-3.3-70B-Instruct"

#: Models of published memory measurements, and the row that has their sizes.
MEASURED = {
    "01-ai/Yi-34B": "01-ai/Yi-34B-Chat",
    "01-ai/Yi-34B-200K": "01-ai/Yi-34B-Chat",
    "01-ai/Yi-34B-Chat": "01-ai/Yi-34B-Chat",
    "LLaMA-7B (configs/llama_7b.json, from scratch)": "huggyllama/llama-7b",
    "NousResearch/Llama-2-70b-hf": "meta-llama/Llama-2-70b-hf",
    "OpenBuddy/openbuddy-zephyr-7b-v14.1": "mistralai/Mistral-7B-v0.1",
    "Qwen/QwQ-32B": "Qwen/QwQ-32B",
    "Qwen/Qwen-72B": "Qwen/Qwen-72B-Chat",
    "Qwen/Qwen-72B-Chat": "Qwen/Qwen-72B-Chat",
    "Qwen/Qwen-72B-Chat-Int4": "Qwen/Qwen-72B-Chat",
    "Qwen/Qwen-7B": "Qwen/Qwen-7B-Chat",
    "Qwen/Qwen-7B-Chat": "Qwen/Qwen-7B-Chat",
    "Qwen/Qwen-7B-Chat-Int4": "Qwen/Qwen-7B-Chat",
    "Qwen/Qwen1.5-MoE-A2.7B": "Qwen/Qwen1.5-MoE-A2.7B",
    "Qwen/Qwen2.5-14B": "Qwen/Qwen2.5-14B-Instruct",
    "Qwen/Qwen2.5-32B": "Qwen/Qwen2.5-32B-Instruct",
    "Qwen/Qwen2.5-72B-Instruct": "Qwen/Qwen2.5-72B-Instruct",
    "Qwen/Qwen2.5-7B": "Qwen/Qwen2.5-7B-Instruct",
    "Qwen/Qwen2.5-7B-Instruct": "Qwen/Qwen2.5-7B-Instruct",
    "Qwen/Qwen2.5-7B-Instruct-AWQ": "Qwen/Qwen2.5-7B-Instruct",
    "Qwen/Qwen3-0.6B": "Qwen/Qwen3-0.6B",
    "Qwen/Qwen3-14B": "Qwen/Qwen3-14B",
    "Qwen/Qwen3-14B-FP8": "Qwen/Qwen3-14B",
    "Qwen/Qwen3-235B-A22B-Instruct-2507": "Qwen/Qwen3-235B-A22B",
    "Qwen/Qwen3-32B": "Qwen/Qwen3-32B",
    "Qwen/Qwen3-4B-Instruct-2507": "Qwen/Qwen3-4B-Instruct-2507",
    "Qwen/Qwen3-8B": "Qwen/Qwen3-8B",
    "Qwen/Qwen3.5-35B-A3B": "Qwen/Qwen3.5-35B-A3B",
    "Qwen/Qwen3.5-4B": "Qwen/Qwen3.5-4B",
    "THUDM/chatglm2-6b": "zai-org/chatglm3-6b",
    "TheBloke/Llama-2-70B-GPTQ": "meta-llama/Llama-2-70b-hf",
    "TheBloke/Mistral-7B-v0.1-GPTQ": "mistralai/Mistral-7B-v0.1",
    "TinyLlama/TinyLlama-1.1B-intermediate-step-1431k-3T": "TinyLlama/TinyLlama-1.1B-Chat-v1.0",
    "baichuan-inc/Baichuan2-13B-Chat": "baichuan-inc/Baichuan2-13B-Chat",
    "bigcode/gpt_bigcode-santacoder": "bigcode/gpt_bigcode-santacoder",
    "bigscience/T0_3B": "google/flan-t5-xl",
    "bigscience/bloomz-7b1": "bigscience/bloom-7b1",
    "bigscience/mt0-xxl": "google/mt5-xxl",
    "decapoda-research/llama-13b-hf": "huggyllama/llama-13b",
    "decapoda-research/llama-7b-hf": "huggyllama/llama-7b",
    "deepseek-ai/DeepSeek-R1-0528-Qwen3-8B": "deepseek-ai/DeepSeek-R1-0528-Qwen3-8B",
    "ibm/PowerLM-3b": "ibm/PowerLM-3b",
    "meta-llama/Llama-2-70b-hf": "meta-llama/Llama-2-70b-hf",
    "meta-llama/Llama-2-7b-hf": "meta-llama/Llama-2-7b-hf",
    "meta-llama/Llama-3.1-405B-Instruct": "meta-llama/Llama-3.1-405B-Instruct",
    "meta-llama/Llama-3.1-70B-Instruct": "meta-llama/Llama-3.1-70B-Instruct",
    "meta-llama/Llama-3.2-1B": "meta-llama/Llama-3.2-1B-Instruct",
    "meta-llama/Llama-3.2-3B": "meta-llama/Llama-3.2-3B-Instruct",
    "meta-llama/Llama-3.2-3B-Instruct": "meta-llama/Llama-3.2-3B-Instruct",
    "meta-llama/Llama-3.3-70B-Instruct": LLAMA_70B,
    "mistral-community/Mistral-7B-v0.2": "mistralai/Mistral-7B-Instruct-v0.2",
    "mistralai/Mistral-7B-v0.1": "mistralai/Mistral-7B-v0.1",
    "moonshotai/Moonlight-16B-A3B-Instruct": "moonshotai/Moonlight-16B-A3B-Instruct",
    "stabilityai/stablelm-base-alpha-3b": "stabilityai/stablelm-base-alpha-3b",
    "tiiuae/falcon-7b": "tiiuae/falcon-7b",
    "unsloth/Mistral-7B-v0.2": "mistralai/Mistral-7B-Instruct-v0.2",
    "CompVis/stable-diffusion-v1-4": "stable-diffusion-v1-5/stable-diffusion-v1-5",
    "Qwen/Qwen3-VL-30B-A3B-Instruct-FP8": "Qwen/Qwen3-VL-30B-A3B-Instruct",
    "black-forest-labs/FLUX.2-klein-base-4B": "black-forest-labs/FLUX.2-klein-4B",
    "google/gemma-4-26B-A4B": "google/gemma-4-26B-A4B-it",
    "ibm-granite/granite-7b-base": "meta-llama/Llama-2-7b-hf",
    "ZhipuAI/GLM-4.5-Air": "zai-org/GLM-4.5-Air",
    "Qwen/Qwen-1_8B": "Qwen/Qwen-1_8B-Chat",
    "LLAMA3_70B": "meta-llama/Meta-Llama-3-70B",
    "GPT_OSS_120B": "openai/gpt-oss-120b",
}


def codes(name: str) -> list[str]:
    return [note.code for note in registry.resolve(name).notes]


@pytest.mark.parametrize(("name", "hf_id"), MEASURED.items())
def test_every_measured_model_resolves(name: str, hf_id: str) -> None:
    assert registry.resolve(name).architecture.hf_id == hf_id


@pytest.mark.parametrize(
    "name", [name for name, hf_id in MEASURED.items() if "/" in name and name != hf_id]
)
def test_an_id_that_is_not_the_rows_own_says_whose_architecture_it_takes(name: str) -> None:
    resolved = registry.resolve(name)
    assert [note.values["model"] for note in resolved.notes] == [MEASURED[name]]


@pytest.mark.parametrize("hf_id", registry.every_id())
def test_every_id_resolves_to_itself_without_a_remark(hf_id: str) -> None:
    assert registry.resolve(hf_id).architecture.hf_id == hf_id
    assert codes(hf_id) == []


def test_ids_are_unique_whatever_their_case() -> None:
    ids = [row["hf_id"] for row in read_rows("planner.models", "models.csv")]
    assert len({normalise(hf_id) for hf_id in ids}) == len(ids) >= 362


def test_no_alias_points_at_two_models_but_those_ambiguous_csv_decides() -> None:
    targets = defaultdict(set)
    for row in read_rows("planner.models", "models.csv"):
        for alias in row["aliases"].split(";"):
            targets[normalise(alias)].add(row["hf_id"])
    decided = registry.ambiguous_names()
    assert {a: ids for a, ids in targets.items() if len(ids) > 1 and a not in decided} == {}


def test_every_default_and_candidate_of_an_ambiguous_name_is_a_row() -> None:
    known = set(registry.every_id())
    for row in read_rows("planner.models", "ambiguous.csv"):
        named = [*row["candidates"].split(";"), row["default_hf_id"]]
        assert {name for name in named if name} <= known, row["typed"]


def test_every_sibling_is_new_and_points_at_a_row_with_a_source() -> None:
    known = {normalise(hf_id) for hf_id in registry.every_id()}
    for row in read_rows("planner.models", "siblings.csv"):
        assert row["same_as"] in registry.every_id()
        assert normalise(row["id"]) not in known
        assert row["why"] and row["source"]


@pytest.mark.parametrize(
    ("typed", "hf_id"),
    [
        ("LLAMA 3.3 70B", LLAMA_70B),
        ("https://huggingface.co/meta-llama/Llama-3.3-70B-Instruct", LLAMA_70B),
        ("<https://huggingface.co/meta-llama/Llama-3.3-70B-Instruct|Llama>", LLAMA_70B),
        ("hf.co/Qwen/Qwen3-8B/tree/main", "Qwen/Qwen3-8B"),
        ("qwen 2.5 72b", "Qwen/Qwen2.5-72B-Instruct"),
        ("phi_1.5", "microsoft/phi-1_5"),
        ("Command R+", "CohereLabs/c4ai-command-r-plus"),
        ("gemma-2-27b", "google/gemma-2-27b-it"),
        ("llama 3.1 8b base", "meta-llama/Llama-3.1-8B-Instruct"),
        ("sahabat ai llama3 8b", "GoToCompany/llama3-8b-cpt-sahabatai-v1-instruct"),
    ],
)
def test_spelling_does_not_matter(typed: str, hf_id: str) -> None:
    assert registry.resolve(typed).architecture.hf_id == hf_id


def test_a_number_is_not_glued_to_its_neighbour() -> None:
    assert normalise("Llama 3 8B") == normalise("llama-3-8b") != normalise("Llama 38B")


def test_a_bare_name_takes_its_default_and_names_the_others() -> None:
    [note] = registry.resolve("llama-70b").notes
    assert note.code == "models.ambiguous_default"
    assert note.values["typed"] == "llama-70b"
    assert note.values["model"] == LLAMA_70B
    assert "meta-llama/Llama-2-70b-hf" in note.values["others"]


@pytest.mark.parametrize(
    ("bare", "newest", "as_an_id", "generation"),
    [
        ("qwen-7b", "Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen-7B", "Qwen/Qwen-7B-Chat"),
        ("qwen 14b", "Qwen/Qwen3-14B", "Qwen/Qwen-14B", "Qwen/Qwen-14B-Chat"),
        ("yi-34b", "01-ai/Yi-1.5-34B-Chat", "01-ai/Yi-34B", "01-ai/Yi-34B-Chat"),
        ("llama 7b", "meta-llama/Llama-2-7b-hf", "x/llama-7b-hf", "huggyllama/llama-7b"),
    ],
)
def test_an_id_never_takes_a_bare_names_newer_generation(
    bare: str, newest: str, as_an_id: str, generation: str
) -> None:
    assert registry.resolve(bare).architecture.hf_id == newest
    assert registry.resolve(as_an_id).architecture.hf_id == generation


@pytest.mark.parametrize(
    ("copy", "base_dtype"),
    [
        ("TheBloke/Llama-2-70B-GPTQ", "gptq-int4"),
        ("Qwen/Qwen-7B-Chat-Int4", "gptq-int4"),
        ("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8", "gptq-int8"),
        ("unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit", "nf4"),
        ("unsloth/Qwen3-14B-unsloth-bnb-4bit", "nf4"),
        ("someone/Llama-3.1-8B-bnb-8bit", "int8"),
        ("RedHatAI/Meta-Llama-3.1-8B-Instruct-FP8-dynamic", "fp8"),
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", None),
        ("hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4", None),
        ("bartowski/Qwen2.5-7B-Instruct-GGUF", None),
    ],
)
def test_a_quantised_copy_tells_what_its_weights_are(copy: str, base_dtype: str | None) -> None:
    resolved = registry.resolve(copy)
    assert resolved.implied_base_dtype == base_dtype
    expected = "models.quantised_copy" if base_dtype else "models.untrainable_copy"
    assert codes(copy) == [expected]


def test_an_unlisted_date_is_taken_but_called_an_assumption() -> None:
    name = "Qwen/Qwen3-235B-A22B-Thinking-2507"
    assert registry.resolve(name).architecture.hf_id == "Qwen/Qwen3-235B-A22B"
    assert codes(name) == ["models.same_architecture_assumed"]


def test_a_fine_tune_under_its_own_name_says_whose_architecture_it_has() -> None:
    assert codes("vicuna 7b") == ["models.same_architecture_as"]
    assert codes("llama 3.1 8b") == []


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("gpt", "models.must_choose"),
        ("chatgpt", "models.closed"),
        ("gpt-4o", "models.closed"),
        ("a100", "models.is_a_gpu"),
        ("", "models.no_name"),
        ("THUDM/glm-4v-9b", "models.unknown"),
        ("meta-llama/Llama-9-8B-Vision", "models.unknown"),
    ],
)
def test_what_no_row_describes_is_refused(typed: str, code: str) -> None:
    with pytest.raises(BadInput) as refused:
        registry.resolve(typed)
    assert refused.value.note.code == code
    assert refused.value.exit_code == 2


def test_an_unknown_name_comes_back_with_the_three_nearest() -> None:
    with pytest.raises(BadInput) as refused:
        registry.resolve("mixtrl 8x7b")
    values = refused.value.note.values
    assert values["name"] == "mixtrl 8x7b"
    nearest = values["nearest"]
    assert isinstance(nearest, tuple)
    assert nearest[0] == "mistralai/Mixtral-8x7B-Instruct-v0.1"
    assert len(set(nearest)) == 3


def test_every_name_of_the_index_resolves_to_what_it_says() -> None:
    for name, hf_id in registry.alias_index().items():
        assert registry.resolve(name).architecture.hf_id == hf_id, name


def test_a_mixture_knows_its_active_and_its_total_parameters() -> None:
    """D002, D003: the two are never the same number."""
    qwen = registry.resolve("qwen3-30b-a3b").architecture
    assert round(qwen.params_total / 1e9, 1) == 30.5
    assert round(qwen.params_active / 1e9, 1) == 3.4
    llama = registry.resolve("llama-3.1-8b").architecture
    assert llama.params_active == llama.params_total == 8_030_261_248
