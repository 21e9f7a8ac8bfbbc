"""Facts the package ships: rows of CSV files beside the code that reads them."""

import csv
from importlib.resources import files


def read_rows(package: str, file_name: str) -> list[dict[str, str]]:
    """The rows of `package`/data/`file_name`, by column name. A blank cell is an empty string."""
    with (files(package) / "data" / file_name).open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        columns = next(reader)
        return [dict(zip(columns, cells, strict=True)) for cells in reader]
