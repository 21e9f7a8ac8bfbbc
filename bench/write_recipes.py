"""Write recipes of many plans, for checking them with the parsers of those who read them.

python -m bench.write_recipes FOLDER
"""

import sys
from datetime import UTC, datetime
from pathlib import Path

from bot.grammar import read
from bot.recipes import written
from planner.recipe.recipe import TARGETS

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
#: Every method, one GPU and many, sharded by FSDP and ZeRO, both markets, several nodes, every
#: provider that an orchestrator knows.
TEXTS = (
    "llama-8b qlora on aws",
    "llama-8b lora on runpod on-demand",
    "llama-8b dora on lambda on-demand",
    "llama-8b ia3 on gcp",
    "llama-8b prefix tuning on nebius",
    "llama-8b prompt tuning on gcp on-demand",
    "llama-8b full on 8x h100 on lambda on-demand",
    "llama-8b full zero3 on 8x h100 on nebius",
    "llama-8b full zero2 on 8x h100 on aws",
    "llama-70b qlora fsdp offload=true on vast.ai on-demand",
    "llama-70b qlora on verda",
    "llama-70b lora on 8x h100 aws spot",
    "llama-70b full on 16x h100 on nebius on-demand",
    "mixtral lora on 8x a100 on azure",
    "qwen2.5-7b qlora packing=false loss=fused_linear optimizer=paged-adamw-8bit on gcp",
    "mistral-7b lora rank=64 targets=attention attention=flash optimizer=adamw-8bit on aws",
    "llama-8b lora on seeweb on-demand",
)


def main() -> None:
    """A folder for each text and target that knows its provider."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m bench.write_recipes FOLDER")
    from planner.errors import BadInput

    count = 0
    for number, text in enumerate(TEXTS):
        for target in TARGETS:
            try:
                found = written(read(text), None, NOW, target).recipe
            except BadInput as refusal:
                if refusal.note.code != "recipe.unknown_provider":
                    raise SystemExit(f"{text} for {target}: {refusal.note.code}") from None
                continue
            folder = Path(sys.argv[1]) / f"{number:02}-{target}"
            folder.mkdir(parents=True)
            for name, content in found.files.items():
                (folder / name).write_text(content, encoding="utf-8")
            count += 1
    print(f"{count} recipes written")


if __name__ == "__main__":
    main()
