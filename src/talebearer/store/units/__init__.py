"""Work units: staged versions on a fixed baseline, published together or not at all."""

from talebearer.store.units._publish import Closed, Closing, Drift
from talebearer.store.units._units import Touched, Unit, Units, UnitView

__all__ = ["Closed", "Closing", "Drift", "Touched", "Unit", "UnitView", "Units"]
