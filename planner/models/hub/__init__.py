"""Models outside the registry, by config.json: on the Hugging Face hub, or in a folder."""
