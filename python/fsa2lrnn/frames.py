"""Tables of pandas, taken by their names and without importing pandas."""

from __future__ import annotations

from typing import Any, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from .errors import ArgumentError


def has_names(values: object) -> bool:
    """Returns whether this is a Series or DataFrame whose names are not 0, 1, ..."""
    for names in (getattr(values, "index", None), getattr(values, "columns", None)):
        if names is not None and not callable(names) and list(names) != list(range(len(names))):
            return True
    return False


class Frame:
    """A DataFrame of transitions: its columns are letters, its index and its entries states."""

    def __init__(self, table: Any) -> None:
        if getattr(table, "index", None) is None or callable(table.index):
            raise ArgumentError(
                f"{type(table).__name__} has columns and no index, which would name the states: "
                "give an array, or a DataFrame of pandas"
            )
        self.states, self.letters = _unique(table.index, "states"), _unique(
            table.columns, "letters"
        )
        self._number = {state: i for i, state in enumerate(self.states)}
        cells = table.to_numpy(dtype=object).tolist()
        found = [[self._place(cell) for cell in row] for row in cells]
        #: [states, letters] numbers of states; -1 where there is none
        self.next: NDArray[np.int64] = np.array(found, np.int64).reshape(
            len(self.states), len(self.letters)
        )

    def _place(self, cell: Any) -> int:
        return -1 if _is_missing(cell) else self.number(cell, "an entry")

    def number(self, state: Any, what: str) -> int:
        """Returns the number of a state of the index."""
        try:
            found = self._number.get(state)
        except TypeError:
            found = None
        if found is None or isinstance(state, (bool, np.bool_)) != isinstance(
            self.states[found], (bool, np.bool_)
        ):
            raise ArgumentError(f"{what} is {state!r}, and the index has no such state")
        return found

    def start(self, start: object) -> int:
        """Returns the number of the start: 0 is the first state unless the index has a 0."""
        return 0 if start == 0 and 0 not in self._number else self.number(start, "start")

    def by_state(self, values: Any, what: str) -> Any:
        """Returns values by state in the order of the states; those of no Series are in it."""
        if values is None or not hasattr(values, "index") or callable(values.index):
            return values
        listed = dict(zip(_unique(values.index, what), values.tolist()))
        if set(listed) != set(self.states):
            raise ArgumentError(f"{what} and next have different states")
        return [listed[state] for state in self.states]

    def by_edge(self, values: Any) -> Any:
        """Returns outputs [states][letters] in the order of states and letters."""
        if values is None or not hasattr(values, "columns"):
            return values
        index, columns = _unique(values.index, "states"), _unique(values.columns, "letters")
        if set(index) != set(self.states) or set(columns) != set(self.letters):
            raise ArgumentError("edge_outputs and next have different states or letters")
        rows = dict(zip(index, values.to_numpy(dtype=object).tolist()))
        return [[rows[s][columns.index(x)] for x in self.letters] for s in self.states]


def _unique(names: Any, what: str) -> list[Hashable]:
    listed: Sequence[Hashable] = list(names)
    if len(set(listed)) < len(listed):
        raise ArgumentError(f"the {what} of a table of pandas have one name twice")
    return list(listed)


def _is_missing(cell: Any) -> bool:
    """Returns whether a cell is empty: None, NaN, pandas.NA or NaT."""
    if isinstance(cell, (float, np.floating)):
        return bool(np.isnan(cell))
    return cell is None or type(cell).__name__ in ("NAType", "NaTType")
