"""Recordings as Python values. No torch is needed."""
from __future__ import annotations

import collections
import errno
import functools
import json
import operator
import os
import typing
from collections.abc import Iterator, Sequence

from . import _recordings
from ._notebook import shown

if typing.TYPE_CHECKING:
    import pandas

_PAGE = 1000  # events that are held at once while a program goes through all


class Problem(typing.NamedTuple):
    """Something of a recording that is wrong, or costs more than it has to: so many events show it, of
    which the first are told. `file` and `line` are where the program was at the first, "" and 0 where
    that is not known."""
    rule: str
    severity: str
    sentence: str
    advice: str
    events: list[int]
    times: int
    file: str
    line: int


class ElementPlace(typing.NamedTuple):
    """What a rank holds of an element: where in its shard, and the value as text; None where values were
    not recorded."""
    rank: int
    index: tuple[int, ...]
    value: str | None
    masked: bool


class ElementEvent(typing.NamedTuple):
    """Something that happened to an element of a tensor: it was produced, masked, reduced, moved, read or
    compared, by an event, after which these ranks hold it."""
    event: int
    step: int
    what: str
    tensor: str
    sentence: str
    places: list[ElementPlace]


class Difference(typing.NamedTuple):
    """Something in which two recordings are not the same: A is the first, B the other. `event` and
    `other` are where it is in each, 0 where it is not there or of the whole run."""
    kind: str
    sentence: str
    event: int
    other: int


class Recording(Sequence[typing.Any]):
    """A recording, or those of a run's processes as one: the sequence of its events, each a named tuple
    of the columns that FORMAT.md has. Going through it holds a page of them at a time.

    Events are numbered from 1: `event(1)`, `[0]` as of any sequence, is the first. A position is how
    many of them have happened. All that gives named tuples is a table to pandas, too:
    `pandas.DataFrame(recording.problems)` has their fields as columns, and so have `recording[-100:]`,
    `steps` and `history(...)`."""

    path: str | os.PathLike[str]

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = checked_path("open", path, "a path")
        self._open = _recordings.OpenRecording(self.path)

    def refresh(self) -> None:
        """Takes in what was written since. Where ranks of a job have gone on that had been behind others,
        events are numbered anew."""
        self._open.refresh()

    def __len__(self) -> int:
        return self._open.size()

    def __iter__(self) -> Iterator[typing.Any]:
        last = 0
        while page := self.sql(f"SELECT * FROM events WHERE id > {last} ORDER BY id LIMIT {_PAGE}"):
            yield from page
            last = page[-1].id

    @typing.overload
    def __getitem__(self, which: int) -> typing.Any: ...
    @typing.overload
    def __getitem__(self, which: slice) -> list[typing.Any]: ...

    def __getitem__(self, which):
        if isinstance(which, slice):
            ids = range(1, len(self) + 1)[which]
            if not ids:
                return []
            low, high = sorted((ids[0], ids[-1]))
            found = self.sql(f"SELECT * FROM events WHERE id BETWEEN {low} AND {high} AND "
                             f"(id - {low}) % {abs(ids.step)} = 0 ORDER BY id")
            return found if ids.step > 0 else found[::-1]
        index = _whole("Recording", which, "an index or a slice")
        if not -len(self) <= index < len(self):
            raise IndexError(f"Recording: got the index {index}, expected one of {len(self)} events")
        return self.event(index % len(self) + 1)

    def __repr__(self) -> str:
        return f"Recording({str(self.path)!r}, {len(self)} events, {len(self.steps)} steps)"

    def _repr_html_(self) -> str:
        return shown(self)

    @property
    def meta(self) -> dict[str, str]:
        """What the recording says of itself: its mesh, program, backend, ..."""
        return self._open.meta()

    def sql(self, question: str) -> list[typing.Any]:
        """The rows of one SELECT over events, tensors, shard_values, bookmarks and meta, as named tuples."""
        columns, rows = self._open.sql(_text("sql", question, "a SELECT"))
        row = _row(tuple(columns))
        return [row(*cells) for cells in rows]

    def frame(self, question: str = "SELECT * FROM events") -> pandas.DataFrame:
        """The same rows, of all events if it does not say, as a DataFrame of pandas, which has to be
        installed. Columns have the names that SQL gives them, without a row, too."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("frame: got no pandas, expected it beside shardlens (pip install pandas); "
                              "sql() gives the same rows without it") from error
        columns, rows = self._open.sql(_text("frame", question, "a SELECT"))
        return pandas.DataFrame(rows, columns=columns)

    @property
    def events(self) -> list[typing.Any]:
        """All events at once, as `sql()` gives them; `for event in recording` takes less memory."""
        return self[:]

    @property
    def steps(self) -> list[typing.Any]:
        """The events that are steps of the program."""
        return self.sql("SELECT * FROM events WHERE kind = 'Step'")

    def event(self, number: int) -> typing.Any:
        """One event, as `sql()` gives it."""
        return self._event("event", number)

    def _event(self, where, number):
        return self.sql(f"SELECT * FROM events WHERE id = {self._number(where, number)}")[0]

    def _number(self, where, number, first=1):
        """The number of an event or, from 0 on, a position."""
        number = _whole(where, number, "the number of an event")
        if not first <= number <= len(self):
            raise IndexError(f"{where}: got {number}, expected one of {first} to {len(self)}")
        return number

    def query(self, text: str) -> list[int]:
        """The numbers of the events that a query asks for, as `implicit kind:redistribute -op:mm`."""
        return self._open.query(_text("query", text, "a query, as kind:redistribute"))

    @property
    def problems(self) -> list[Problem]:
        """What is wrong in it, or costs too much, and what to do."""
        return [Problem(*fields, *self._place(fields[4])) for fields in self._open.problems()]

    def _place(self, events):
        """The file and line of the program at the first of these, or at the call that it is a part of."""
        number = events[0] if events else 0
        while number:
            event = self.event(number)
            site = json.loads(event.site) if event.site else {}
            if "file" in site:
                return site["file"], site["line"]
            if event.line:
                return self.meta.get("path", ""), event.line
            number = event.parent
        return "", 0

    def differences(self, other: Recording) -> list[Difference]:
        """In what another recording is not the same, as `shardlens diff` finds it: settings, program,
        placements, plans, collectives, values."""
        return self._compared(other)[0]

    def _compared(self, other):
        """The differences, and how many operators are in both."""
        if not isinstance(other, Recording):
            raise TypeError(f"differences: got {other!r}, expected a recording, as open() gives it")
        found, alike = self._open.differences(other._open)
        return [Difference(*fields) for fields in found], alike

    def snapshot(self, position: int | None = None) -> dict[str, typing.Any]:
        """All that was known when so many events had happened, at the end if it does not say: a dict, as
        FORMAT.md spells it out."""
        position = len(self) if position is None else self._number("snapshot", position, 0)
        return json.loads(self._open.snapshot(position))

    def caches(self, position: int | None = None) -> dict[str, typing.Any]:
        """What was in the caches then."""
        return {name: found for name, found in self.snapshot(position).items() if "cache" in name}

    def sentence(self, event: int) -> str:
        """What a row of the window's Steps says of an event."""
        title, note = self._open.words(self._number("sentence", event))
        return f"{title}  [{note}]" if note else title

    def history(self, element: str, step: int | None = None) -> list[ElementEvent]:
        """All that made, masked, reduced or moved one element, as "y[3, 1]", on all ranks; of several
        tensors of the name the newest, or the newest that the step made. All of it: where the step only
        redistributed the tensor, it begins in the one before, which produced it."""
        _text("history", element, "an element, as y[3, 1]")
        if step is not None:
            step = _whole("history", step, "the number of a step")
        return self._history(self._open.history(element, step))

    def _history(self, found):
        return [ElementEvent(event, step, what, tensor, self.sentence(event),
                             [ElementPlace(rank, index, value or None, masked)
                              for rank, index, value, masked in places])
                for event, step, what, tensor, places in found]

    def story(self, event: int) -> list[str]:
        """The call that an event belongs to, all that happened inside of it, as lines of text."""
        call = self._event("story", event)
        while call.parent and self.event(call.parent).kind != "Step":
            call = self.event(call.parent)
        depths = {call.id: 0}
        lines = []
        for inner in self.sql(f"SELECT id, parent FROM events WHERE id >= {call.id} AND id <= "
                              f"{len(self)} LIMIT 1000"):
            if inner.id != call.id:
                if inner.parent not in depths:
                    break
                depths[inner.id] = depths[inner.parent] + 1
            lines.append("  " * (depths[inner.id] + 1) + self.sentence(inner.id))
        if call.site:
            site = json.loads(call.site)
            place = [f"{site['file']}:{site['line']}"] if "file" in site else []
            lines.append("  at " + ", ".join(place + [site[key] for key in ("module", "pass")
                                                      if key in site]))
        return lines


@functools.lru_cache
def _row(columns):
    return collections.namedtuple("Row", columns, rename=True)


def _whole(where, value, expected):
    """The number; a TypeError where it is no whole one."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{where}: got {value!r}, expected {expected}") from None


def _text(where, value, expected):
    if not isinstance(value, str):
        raise TypeError(f"{where}: got {value!r}, expected {expected}")
    return value


def checked_path(where, path, expected):
    """The path, which has to be there."""
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{where}: got {path!r}, expected {expected}")
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, f"{where}: got a path that is not there", os.fspath(path))
    return path


def open(path: str | os.PathLike[str]) -> Recording:
    """Opens a recording: a file, or the folder of those of a run's processes."""
    return Recording(path)
