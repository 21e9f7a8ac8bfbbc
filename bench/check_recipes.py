"""Check written recipes with the parsers of those who read them; nothing of Muat is imported.

    python bench/check_recipes.py FOLDER

SkyPilot and dstack parse their files; settings of train.py and accelerate.yaml must be fields that
TRL, Transformers, peft and accelerate declare. These are read as source, since importing them
needs PyTorch.
"""

import ast
import importlib.util
import sys
from functools import cache
from pathlib import Path

import yaml


def main() -> None:
    """Check every folder; one line for each thing that is wrong."""
    folders = sorted(Path(sys.argv[1]).iterdir())
    wrong = [f"{folder.name}: {problem}" for folder in folders for problem in problems(folder)]
    print("\n".join([*wrong, f"{len(folders)} recipes, {len(wrong)} problems"]))
    sys.exit(1 if wrong or not folders else 0)


def problems(folder):
    """What is wrong with the files of one recipe."""
    checks = {
        "skypilot.yaml": skypilot,
        "muat.dstack.yml": dstack,
        "volume.dstack.yml": dstack,
        "train.py": trl,
        "accelerate.yaml": accelerate,
    }
    for name, check in checks.items():
        path = folder / name
        if path.exists():
            try:
                found = check(path)
            except Exception as error:
                found = [f"{type(error).__name__}: {error}"]
            yield from (f"{name}: {one}" for one in found or ())


def skypilot(path):
    """SkyPilot's own schema and task."""
    from sky.utils import common_utils, schemas

    config = yaml.safe_load(path.read_text())
    common_utils.validate_schema(config, schemas.get_task_schema(), "task: ")
    resources = dict(config["resources"])
    common_utils.validate_schema(resources, schemas.get_resources_schema(), "resources: ")
    cloud = resources["infra"].partition("/")[0]
    from sky.utils.registry import CLOUD_REGISTRY

    if CLOUD_REGISTRY.from_str(cloud) is None:
        return [f"SkyPilot knows no cloud {cloud}"]
    return []


def dstack(path):
    """dstack's own models."""
    from dstack._internal.core.models.configurations import parse_apply_configuration

    parse_apply_configuration(yaml.safe_load(path.read_text()))
    return []


def trl(path):
    """train.py is Python, and its settings are fields of the classes it uses."""
    tree = ast.parse(path.read_text())
    found = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
    }
    imported = {
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "peft"
        for alias in node.names
    }
    fields = {
        "TRAINING": trainer_fields(),
        "PEFT": set().union(*(peft_fields(name) for name in imported)) if imported else set(),
        "QUANTISATION": arguments_of(
            "transformers.utils.quantization_config", "BitsAndBytesConfig"
        ),
    }
    hub = {"push_to_hub", "hub_model_id", "hub_strategy", "hub_private_repo"}
    undeclared = [f"{key} is no setting of the trainer" for key in hub - trainer_fields()]
    return undeclared + [
        f"{name} has {key}, which nothing declares"
        for name, known in fields.items()
        for key in found.get(name, {})
        if key not in known
    ]


def accelerate(path):
    """Every key is one that accelerate reads."""
    config = yaml.safe_load(path.read_text())
    known = fields_of("accelerate.commands.config.config_args", "BaseConfig")
    known |= fields_of("accelerate.commands.config.config_args", "ClusterConfig")
    flags = launch_flags()
    wrong = [f"{key} is no key of accelerate" for key in config if key not in known]
    wrong += [f"{key} is no flag" for key in config.get("fsdp_config", {}) if key not in flags]
    deepspeed = config.get("deepspeed_config", {})
    return wrong + [f"{key} is no flag" for key in deepspeed if key not in flags]


@cache
def trainer_fields():
    """Fields of SFTConfig and of what it inherits."""
    found = fields_of("trl.trainer.sft_config", "SFTConfig")
    found |= fields_of("trl.trainer.base_config", "_BaseConfig")
    return found | fields_of("transformers.training_args", "TrainingArguments")


@cache
def peft_fields(name):
    """Fields of a peft configuration and of what it inherits."""
    place = {
        "LoraConfig": "peft.tuners.lora.config",
        "IA3Config": "peft.tuners.ia3.config",
        "PrefixTuningConfig": "peft.tuners.prefix_tuning.config",
        "PromptTuningConfig": "peft.tuners.prompt_tuning.config",
    }[name]
    found = fields_of(place, name)
    for base in ("PeftConfigMixin", "PeftConfig", "PromptLearningConfig"):
        found |= fields_of("peft.config", base)
    return found


@cache
def fields_of(module, name):
    """The annotated fields that a class declares in its source."""
    node = class_in(module, name)
    return {
        line.target.id
        for line in node.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    }


@cache
def arguments_of(module, name):
    """The arguments of a class's __init__."""
    for line in class_in(module, name).body:
        if isinstance(line, ast.FunctionDef) and line.name == "__init__":
            return {one.arg for one in (*line.args.args, *line.args.kwonlyargs)}
    raise LookupError(name)


@cache
def launch_flags():
    """The flags of `accelerate launch`, as their keys."""
    tree = ast.parse(source_of("accelerate.commands.launch"))
    return {
        node.value.lstrip("-").replace("-", "_")
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.startswith("--")
    }


def class_in(module, name):
    """The class of that name in a module's source."""
    for node in ast.parse(source_of(module)).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return node
    raise LookupError(f"{name} in {module}")


@cache
def source_of(module):
    """The source of a module, without importing it or its package."""
    package, *rest = module.split(".")
    root = importlib.util.find_spec(package).submodule_search_locations[0]
    return Path(root, *rest).with_suffix(".py").read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
