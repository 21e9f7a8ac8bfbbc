"""Facts the package ships: rows of CSV files beside the code that reads them."""

import csv
from importlib.resources import files
from io import StringIO


def read_rows(package: str, file_name: str) -> list[dict[str, str]]:
    """The rows of `package`/data/`file_name`, by column name. A blank cell is an empty string."""
    reader = csv.reader(StringIO(data_text(package, file_name), newline=""))
    columns = next(reader)
    return [dict(zip(columns, cells, strict=True)) for cells in reader]


def data_text(package: str, file_name: str) -> str:
    """The text of `package`/data/`file_name`."""
    return (files(package) / "data" / file_name).read_text(encoding="utf-8")
