"""What a catalog knows beside its offers, worked out once when it is written."""

import sqlite3

from planner.gpus.registry import planned_names

#: Every price somebody could pay: not sold out, and spot only where it is below on-demand.
#: `room` is host RAM in GiB; RAM that nobody stated is not held against an offer.
_PRICED = """
CREATE VIEW priced AS
SELECT id AS offer, 'on_demand' AS market, on_demand_usd_per_hour AS usd_per_hour, feed, provider,
       instance_type, gpu, gpu_count, interconnect, region, COALESCE(host_ram_gib, 9e999) AS room
FROM offers WHERE on_demand_usd_per_hour IS NOT NULL AND NOT sold_out
UNION ALL
SELECT id, 'spot', spot_usd_per_hour, feed, provider,
       instance_type, gpu, gpu_count, interconnect, region, COALESCE(host_ram_gib, 9e999)
FROM offers WHERE spot_usd_per_hour IS NOT NULL AND NOT sold_out
 AND (on_demand_usd_per_hour IS NULL OR spot_usd_per_hour < on_demand_usd_per_hour)
"""

#: Providers of one kind of machine that a plan looks at: what a run costs beside the hour (storage,
#: egress, billing steps) may make another than the cheapest one its choice.
CLOSE_PROVIDERS = 4

#: Of every kind of machine, market, provider and region the cheapest offer, and dearer ones only
#: where they have more host RAM. `best_of_provider` marks those that are that also among their
#: provider's; `best` and `best_of_region` those that are that among all and among their region's,
#: and there of a few providers the cheapest.
_SHAPES = """
CREATE TABLE shapes (
  offer INTEGER NOT NULL, market TEXT NOT NULL, usd_per_hour REAL NOT NULL, provider TEXT NOT NULL,
  gpu TEXT NOT NULL, gpu_count INTEGER NOT NULL, interconnect TEXT NOT NULL, region TEXT,
  room REAL NOT NULL, best INTEGER NOT NULL, best_of_provider INTEGER NOT NULL,
  best_of_region INTEGER NOT NULL
)
"""

_KIND = "gpu, gpu_count, interconnect, market"


def not_beaten(among: str = _KIND, order: str = "usd_per_hour, offer") -> str:
    """SQL: whether no cheaper row of the same `among` has at least as much host RAM."""
    return (
        f"room > COALESCE(max(room) OVER (PARTITION BY {among} ORDER BY {order}"
        " ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), -1)"
    )


def among_cheapest_providers(
    first: str = "first", among: str = _KIND, order: str = "usd_per_hour, offer"
) -> str:
    """SQL: whether a row is the `first` of its provider and few providers sell the same cheaper."""
    return (
        f"({first} AND sum({first}) OVER (PARTITION BY {among} ORDER BY {order}"
        f" ROWS UNBOUNDED PRECEDING) <= {CLOSE_PROVIDERS})"
    )


def first_of_provider(among: str = _KIND, order: str = "usd_per_hour, offer") -> str:
    """SQL: whether a row is the cheapest of the same `among` at its provider."""
    return f"row_number() OVER (PARTITION BY {among}, provider ORDER BY {order}) = 1"


_INDICES = (
    "CREATE INDEX shapes_best ON shapes (gpu) WHERE best",
    "CREATE INDEX shapes_of_provider ON shapes (provider) WHERE best_of_provider",
    "CREATE INDEX shapes_of_region ON shapes (region) WHERE best_of_region",
    "CREATE INDEX shapes_in ON shapes (region, provider)",
)

#: What the age of the whole is told from.
_FACTS = """
SELECT count(*) AS offers, COALESCE(sum(is_sample), 0) AS samples, count(as_of) AS dated,
       min(as_of) AS as_of_first, max(as_of) AS as_of_last,
       min(gathered_on) AS gathered_first, max(gathered_on) AS gathered_last,
       COALESCE(sum(spot_usd_per_hour >= on_demand_usd_per_hour), 0) AS false_spots
FROM offers
"""


def derive(connection: sqlite3.Connection) -> None:
    """Add the view of prices, the table of shapes and the facts to a catalog with its offers."""
    connection.execute(_PRICED)
    connection.execute(_SHAPES)
    planned = sorted(planned_names())
    in_region = f"{_KIND}, region"
    # The best lie together, then those of a region: these are what most questions read.
    insert = f"""
    INSERT INTO shapes SELECT * FROM (
      SELECT offer, market, usd_per_hour, provider, gpu, gpu_count, interconnect, region, room,
        {not_beaten()} OR {among_cheapest_providers()} AS best, {not_beaten(_KIND + ", provider")},
        {not_beaten(in_region)} OR {among_cheapest_providers("first_there", in_region)}
      FROM (SELECT *, {not_beaten(_KIND + ", provider, region")} AS kept,
              {first_of_provider()} AS first, {first_of_provider(in_region)} AS first_there
            FROM priced
            WHERE gpu IN ({", ".join("?" * len(planned))}))
      WHERE kept) ORDER BY best DESC, region, gpu, usd_per_hour, offer
    """
    connection.execute(insert, planned)
    for statement in _INDICES:
        connection.execute(statement)
    facts = connection.execute(_FACTS)
    names = [column[0] for column in facts.description]
    connection.executemany(
        "INSERT INTO meta VALUES (?, ?)",
        [(name, str(value)) for name, value in zip(names, facts.fetchone(), strict=True) if value],
    )
