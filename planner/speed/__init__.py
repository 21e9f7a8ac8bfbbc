"""How fast a fine-tune runs, with the range that its error leaves."""
