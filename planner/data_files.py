"""Facts the package ships: rows of CSV files beside the code that reads them."""

import csv
from importlib.resources import files
from io import StringIO


def read_rows(package: str, file_name: str) -> list[dict[str, str]]:
    """The rows of `package`/data/`file_name`, by column name. A blank cell is an empty string."""
    text = (files(package) / "data" / file_name).read_text(encoding="utf-8")
    reader = csv.reader(StringIO(text, newline=""))
    columns = next(reader)
    return [dict(zip(columns, cells, strict=True)) for cells in reader]
