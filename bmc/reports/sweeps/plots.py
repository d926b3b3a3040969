"""Plots as SVG that stands in the page: seconds on a logarithmic scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import ceil, floor, log10

from bmc.reports.sweeps.growth import Power, Series

_WIDTH, _HEIGHT = 440, 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 8, 12, 44
_INSET = 44
COLOURS = 8
"""How many series have a colour of their own: CSS classes ``s0`` … ``s7``."""


@dataclass(frozen=True)
class Plot:
    """A figure: what it shows, what was fitted, and the drawing."""

    title: str
    notes: tuple[tuple[int, str], ...]
    svg: str


class _Axes:
    """Places on the drawing, and the lines and numbers around them."""

    def __init__(
        self, low: float, high: float, seconds: Sequence[float], place: Callable[[float], float]
    ) -> None:
        self._place = place
        self._low, self._high = place(low), place(high)
        self._bottom = floor(log10(min(seconds)))
        self._top = max(ceil(log10(max(seconds))), self._bottom + 1)

    def x(self, value: float) -> float:
        share = (self._place(value) - self._low) / ((self._high - self._low) or 1.0)
        return _LEFT + _INSET + share * (_WIDTH - _LEFT - _RIGHT - 2 * _INSET)

    def gap(self, values: Sequence[int]) -> float:
        """Room for what is drawn at one value, before it reaches the next or the edge."""
        places = [self.x(value) for value in values]
        between = min((b - a for a, b in pairwise(places)), default=_WIDTH)
        return min(between, 2 * _INSET)

    def y(self, seconds: float) -> float:
        share = (log10(seconds) - self._bottom) / (self._top - self._bottom)
        share = min(1.0, max(0.0, share))
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)

    def frame(self, ticks: Sequence[int], label: str) -> list[str]:
        drawn = []
        for power in range(self._bottom, self._top + 1):
            y = self.y(10.0**power)
            drawn.append(
                f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" '
                f'y1="{y:.1f}" y2="{y:.1f}"/>'
            )
            drawn.append(
                f'<text class="tick" x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">'
                f"{_seconds(power)}</text>"
            )
        for tick in ticks:
            drawn.append(
                f'<text class="tick" x="{self.x(tick):.1f}" y="{_HEIGHT - _BOTTOM + 18}" '
                f'text-anchor="middle">{tick}</text>'
            )
        middle = (_LEFT + _WIDTH - _RIGHT) / 2
        drawn.append(
            f'<text class="axis" x="{middle}" y="{_HEIGHT - 4}" text-anchor="middle">'
            f"{escape(label)}</text>"
        )
        return drawn


def _seconds(power: int) -> str:
    return f"{10**power} s" if power >= 0 else f"{10.0**power:g} s" if power > -3 else "1 ms"


def along(name: str, series: Sequence[Series], colours: dict[str, int]) -> Plot:
    """Cost along one parameter: every job, the mean at each value, and the fitted growth."""
    values = sorted({v for s in series for v, _ in s.points})
    seconds = [t for s in series for _, t in s.points]
    axes = _Axes(values[0], values[-1], seconds, float)
    drawn = axes.frame(values if len(values) <= 12 else values[:: len(values) // 8], name)
    apart = min(16.0, 0.7 * axes.gap(values) / len(series))
    notes = []
    for number, one in enumerate(series):
        colour = colours[one.protocol] % COLOURS
        # Side by side, so that protocols do not cover each other.
        shift = (number - (len(series) - 1) / 2) * apart
        for value, taken in one.points:
            x, y = axes.x(value) + shift, axes.y(taken)
            drawn.append(f'<circle class="dot s{colour}" cx="{x:.1f}" cy="{y:.1f}" r="2"/>')
        if one.factor is not None:
            first, last = one.means[0][0], one.means[-1][0]
            drawn.append(
                f'<line class="fit s{colour}" x1="{axes.x(first) + shift:.1f}" '
                f'y1="{axes.y(one.fit_at(first)):.1f}" x2="{axes.x(last) + shift:.1f}" '
                f'y2="{axes.y(one.fit_at(last)):.1f}"/>'
            )
        for value, mean in one.means:
            x, y = axes.x(value) + shift, axes.y(mean)
            drawn.append(f'<circle class="mean s{colour}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>')
        fitted = "not to be told" if one.factor is None else f"×{one.factor:.2f} for each one more"
        notes.append((colour, f"{one.protocol}: {fitted}"))
    return Plot(f"Seconds by {name}", tuple(notes), _svg(f"Seconds by {name}", drawn))


def size_plot(power: Power, colours: dict[str, int]) -> Plot:
    """Cost against the size of a state, both logarithmic."""
    bits = sorted({b for b, _, _ in power.points})
    axes = _Axes(bits[0], bits[-1], [s for _, s, _ in power.points], log10)
    drawn = axes.frame(_spread(bits, axes), "state bits (logarithmic)")
    for size, taken, protocol in power.points:
        colour = colours[protocol] % COLOURS
        drawn.append(
            f'<circle class="dot s{colour}" cx="{axes.x(size):.1f}" cy="{axes.y(taken):.1f}" '
            'r="2.5"/>'
        )
    drawn.append(
        f'<line class="fit all" x1="{axes.x(bits[0]):.1f}" y1="{axes.y(power.at(bits[0])):.1f}" '
        f'x2="{axes.x(bits[-1]):.1f}" y2="{axes.y(power.at(bits[-1])):.1f}"/>'
    )
    names = dict.fromkeys(protocol for _, _, protocol in power.points)
    notes = tuple((colours[name] % COLOURS, name) for name in names)
    title = f"Seconds by size of a state: as bits to the power of {power.exponent:.1f}"
    return Plot(title, notes, _svg("Seconds by state bits", drawn))


def _spread(values: Sequence[int], axes: _Axes) -> list[int]:
    """Values whose labels do not touch."""
    kept: list[int] = []
    for value in values:
        if not kept or axes.x(value) - axes.x(kept[-1]) >= 30:
            kept.append(value)
    return kept


def _svg(label: str, drawn: Sequence[str]) -> str:
    return (
        f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(label)}">{"".join(drawn)}</svg>'
    )
