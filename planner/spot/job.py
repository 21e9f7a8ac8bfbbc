"""A run as spot sees it."""

from typing import NamedTuple


class SpotJob(NamedTuple):
    """A run on a machine that may be taken away. Prices are USD per hour for everything rented.

    `hours` are those of undisturbed training. Interruptions come `interruptions_per_hour` of a
    running machine; after each it is gone for `outage_hours` on average, which nobody bills, and
    needs `load_seconds` from its first billed second to the next step: ready again, weights and
    checkpoint loaded. `notice_seconds` is how long before an interruption the provider says so.
    Without an on-demand price there is nothing to change to; without `deadline_hours`, no reason.
    """

    hours: float
    spot_usd_per_hour: float
    on_demand_usd_per_hour: float | None
    interruptions_per_hour: float
    outage_hours: float
    save_seconds: float
    load_seconds: float
    notice_seconds: float = 0.0
    deadline_hours: float | None = None

    @property
    def save_hours(self) -> float:
        """Hours that one save takes."""
        return self.save_seconds / 3600

    @property
    def load_hours(self) -> float:
        """Hours from a machine's first billed second to the next step."""
        return self.load_seconds / 3600

    @property
    def saves_on_notice(self) -> bool:
        """Whether the notice is long enough to save what was done since the last checkpoint."""
        return 0 < self.notice_seconds >= self.save_seconds

    @property
    def slack_hours(self) -> float | None:
        """Hours that may be lost on spot before only on-demand still meets the deadline.

        On-demand then needs what remains of the work and a load; a save goes before the change,
        and one that an interruption spoils is allowed for.
        """
        if self.deadline_hours is None:
            return None
        return self.deadline_hours - self.hours - self.load_hours - 2 * self.save_hours
