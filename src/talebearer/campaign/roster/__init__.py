"""Speaker labels: which of them nobody has claimed, and how campaign.toml comes to know them."""

from talebearer.campaign.roster._edit import with_seats
from talebearer.campaign.roster._seats import Seat, check_seats, new_seats

__all__ = ["Seat", "check_seats", "new_seats", "with_seats"]
