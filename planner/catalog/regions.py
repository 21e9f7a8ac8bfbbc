"""Where things are rented: places people type, and the free text of an offer's region."""

import math
import re
from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows

#: "near X" takes offers up to this far away: from Jakarta it reaches Japan, India and Australia.
NEAR_KM = 6000.0

_EARTH_RADIUS_KM = 6371.0
#: The shape of a cloud's region id: an area of the world, a direction or a place, a number.
_ID = re.compile(
    r"^(?:us|eu|uk|ca|ap|sa|me|af|cn|il|mx|asia|europe|australia|africa|northamerica|southamerica)"
    r"(?:-[a-z]+)+-?\d{1,2}(?:-?[a-z])?$"
)
_ZONE = re.compile(r"(?:-[a-z]|-\d{1,2})$")
_ABSENT = re.compile(r"none in [^,;(]*")


class Region(NamedTuple):
    """A region somebody asked for. `label` is what to show, and reads back as the same region.

    `place` is the id of a row of regions.csv, None for a provider's region id that no row lists.
    """

    label: str
    place: str | None
    is_near: bool
    is_id: bool


class _Place(NamedTuple):
    id: str
    kind: str
    names: tuple[str, ...]
    codes: tuple[str, ...]
    country: str
    areas: frozenset[str]
    latitude: float | None
    longitude: float | None
    pattern: re.Pattern[str]


def find_region(text: str) -> Region | None:
    """The region a text names: a place ("Jakarta", "eu", "near Singapore") or a region id."""
    typed = " ".join(text.strip().split())
    lowered = typed.lower()
    word = next((w for w in _near_words() if lowered.startswith(w + " ")), None)
    wanted = lowered[len(word) :].strip() if word else lowered
    place = _by_name().get(wanted)
    if place is not None:
        shown = typed[-len(wanted) :]
        if shown.islower():
            shown = shown.title() if len(shown) > 3 else shown.upper()
        label = f"{typed[: len(word)]} {shown}" if word else shown
        return Region(label, place.id, is_near=word is not None, is_id=False)
    coded = _by_code().get(wanted) or _by_site().get(_ZONE.sub("", wanted))
    if coded is not None or _ID.match(wanted):
        return Region(typed, coded.id if coded else None, is_near=word is not None, is_id=True)
    return None


def region_matches(offer_region: str | None, region: Region) -> bool:
    """Whether an offer with this region text lies in (or near) the region asked for."""
    return distance_km(offer_region, region) is not None


def distance_km(offer_region: str | None, region: Region) -> float | None:
    """How far an offer lies from the region asked for: 0 inside it; None where it does not count.

    An offer whose region is not known ("list price") never counts.
    """
    if not offer_region:
        return None
    if region.is_id and not region.is_near:
        return 0.0 if _whole(region.label.lower()).search(offer_region.lower()) else None
    asked = _places().get(region.place or "")
    if asked is None:
        return None
    distances = [_distance(found, asked, region.is_near) for found in _places_of(offer_region)]
    return min((d for d in distances if d is not None), default=None)


def _distance(found: _Place, asked: _Place, is_near: bool) -> float | None:
    if _contains(asked, found):
        return 0.0
    if not is_near or None in (asked.latitude, found.latitude):
        return None
    kilometres = _great_circle_km(asked, found)
    return kilometres if kilometres <= NEAR_KM else None


def _contains(outer: _Place, inner: _Place) -> bool:
    if outer.id == inner.id:
        return True
    if outer.kind == "country":
        return inner.country == outer.country
    return outer.kind == "area" and outer.areas <= inner.areas


def _great_circle_km(a: _Place, b: _Place) -> float:
    """Distance on a sphere (haversine formula)."""
    lat_a, lon_a, lat_b, lon_b = (
        math.radians(degrees or 0.0)
        for degrees in (a.latitude, a.longitude, b.latitude, b.longitude)
    )
    half = (
        math.sin((lat_b - lat_a) / 2) ** 2
        + math.cos(lat_a) * math.cos(lat_b) * math.sin((lon_b - lon_a) / 2) ** 2
    )
    return 2 * _EARTH_RADIUS_KM * math.asin(math.sqrt(half))


@cache
def _places_of(offer_region: str) -> tuple[_Place, ...]:
    """The places an offer's region text names, without those that contain another one of them."""
    text = _ABSENT.sub(" ", offer_region.lower())
    named = [place for place in _places().values() if place.pattern.search(text)]
    return tuple(
        place
        for place in named
        if not any(other is not place and _contains(place, other) for other in named)
    )


@cache
def _near_words() -> tuple[str, ...]:
    words = [
        word
        for row in read_rows("planner.catalog", "regions.csv")
        if row["kind"] == "near"
        for word in row["names"].split(";")
    ]
    return tuple(sorted(words, key=len, reverse=True))


@cache
def _places() -> dict[str, _Place]:
    rows = read_rows("planner.catalog", "regions.csv")
    return {row["id"]: _place(row) for row in rows if row["kind"] != "near"}


@cache
def _by_name() -> dict[str, _Place]:
    return {name: place for place in _places().values() for name in place.names}


@cache
def _by_code() -> dict[str, _Place]:
    """Region ids people may type; the two-letter codes of offers are words of other meaning."""
    return {code: place for place in _places().values() for code in place.codes if len(code) > 3}


@cache
def _by_site() -> dict[str, _Place]:
    """Codes that a zone or a site number may follow: "fin" of "FIN-01"."""
    return {code: place for place in _places().values() for code in place.codes if len(code) > 2}


def _place(row: dict[str, str]) -> _Place:
    names = tuple(name for name in row["names"].split(";") if name)
    codes = tuple(code for code in row["codes"].split(";") if code)
    return _Place(
        id=row["id"],
        kind=row["kind"],
        names=names,
        codes=codes,
        country=row["country"],
        areas=frozenset(row["areas"].split(";")) if row["areas"] else frozenset(),
        latitude=float(row["latitude"]) if row["latitude"] else None,
        longitude=float(row["longitude"]) if row["longitude"] else None,
        pattern=_whole(*names, *codes),
    )


def _whole(*names: str) -> re.Pattern[str]:
    """Any of the names as a whole word, with the zone or site that may follow ("-a", "-02")."""
    listed = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<![a-z0-9-])(?:{listed})(?:-[a-z]|-\d{{1,2}})?(?![a-z0-9-])")
