"""Every number of a plan with its formula and what goes into it."""
