"""Reads recordings as Python values. Needs no torch."""
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

_PAGE = 1000  # events in memory at once during iteration


class Problem(typing.NamedTuple):
    """A problem in a recording: something wrong, or more expensive than necessary.

    `times` is the number of events that show it; `events` has the first of them, ascending. `file`
    and `line` are the place of the program at the first event, "" and 0 if unknown. `advice` is
    what to do. `consequences` is what other ranks did because of it, such as "rank 2 failed in
    all_reduce over tp"; "" if nothing."""
    rule: str
    severity: str
    sentence: str
    advice: str
    events: list[int]
    times: int
    file: str
    line: int
    consequences: str


class InferredPlacement(typing.NamedTuple):
    """The placement of a plain tensor along one axis of ranks, as far as it follows from a recording.

    `role` is "parameter", "buffer", "gradient" or "output" (of a module). `shape` is that of one rank's
    tensor. `placement` is a text such as "S(0)"; None if it is unknown. `is_contradicted` is True if facts about
    the tensor do not agree. `evidence` is "collective", "equal values", "different values", "rule"
    or "claim"; "" for an unknown placement; `event` shows it, and `because` describes it. `type` is "I" or "V" if the
    program states that with spmd_types. `ranks` is "2,3" for a tensor of the stage of a pipeline that these ranks run;
    None if all ranks run one program."""
    tensor: str
    role: str
    shape: tuple[int, ...]
    axis: str
    placement: str | None
    is_contradicted: bool
    evidence: str
    event: int
    because: str
    type: str | None = None
    ranks: str | None = None


class LoadedTensor(typing.NamedTuple):
    """The slices of a tensor of a checkpoint that the ranks of a job have in a parameter or buffer.

    `stored` is its name in the checkpoint, or None. `placements` maps axes to texts such as "S(0)", and `slices` has
    (rank, offsets, sizes) that each rank should have by them. `problems` has a sentence for each rank that has other
    values. `not_compared` states why the tensor is not compared; None if it is."""
    tensor: str
    stored: str | None
    placements: dict[str, str]
    slices: list[tuple[int, tuple[int, ...], tuple[int, ...]]]
    problems: list[str]
    not_compared: str | None


class LedgerEntry(typing.NamedTuple):
    """An event that changed what a gradient means.

    `kind` is "computed", "reduced", "moved" (by another collective), "scaled", "accumulated" or "read" (by the
    optimizer). `what` is the operator or the collective, `reduction` what a "reduced" one does, as "sum", over the
    axes `axes`. `factor` is the number that a "scaled" one multiplied by; None for a tensor. `then` has the placement
    after the event, or None, by the name of the axis. `at` is the place in the program, as "train.py:12"."""
    kind: str
    event: int
    what: str
    reduction: str
    axes: list[str]
    factor: float | None
    then: dict[str, str | None]
    at: str


class GradientLedger(typing.NamedTuple):
    """How a gradient was reduced from its computation until the optimizer of the last step read it, at the event
    `read`. Reductions after "read" came too late. `summary` is a text such as "summed over dp, divided by 2". `ranks`:
    see InferredPlacement."""
    gradient: str
    read: int
    summary: str
    entries: list[LedgerEntry]
    ranks: str | None = None


class ElementPlace(typing.NamedTuple):
    """A rank's copy of an element: its index in the rank's shard, and its value as text. `value` is
    None if values were not recorded. `masked` is True if a mask covers the element on this rank."""
    rank: int
    index: tuple[int, ...]
    value: str | None
    masked: bool


class ElementEvent(typing.NamedTuple):
    """One event in the history of an element: the element was produced, masked, reduced, moved,
    read or compared (`what`). `places` are the ranks' copies after the event."""
    event: int
    step: int
    what: str
    tensor: str
    sentence: str
    places: list[ElementPlace]


class Difference(typing.NamedTuple):
    """A difference between two recordings; `sentence` calls the first A and the other B. `event`
    and `other` are its events in A and in B, 0 if that recording has none or the difference is of
    the whole run."""
    kind: str
    sentence: str
    event: int
    other: int


class Recording(Sequence[typing.Any]):
    """A recording, or the recordings of all processes of a run as one. It is a sequence of events.

    An event is a named tuple of the columns in FORMAT.md. Iteration reads the events in pages, so
    it needs little memory. Events are numbered from 1: `event(1)` is `recording[0]`. A position is
    the number of events that have happened. Lists of named tuples are tables for pandas, too:
    `pandas.DataFrame(recording.problems)` has their fields as columns. One thread at a time may use
    a recording."""

    path: str | os.PathLike[str]

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = checked_path("open", path, "a path")
        self._open = _recordings.OpenRecording(self.path)

    def refresh(self) -> None:
        """Reads the events written since. Renumbers all events if a rank of a job has joined or
        caught up since."""
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
        """The metadata of the recording: its mesh, program, backend, ..."""
        return self._open.meta()

    @property
    def limits(self) -> list[str]:
        """What the recorder of a job could not observe, and why: a sentence each. Empty if it observed
        all. Limits of some ranks only end with these ranks."""
        return self._open.limits()

    def sql(self, statement: str) -> list[typing.Any]:
        """Returns the rows of one SELECT over events, tensors, shard_values, bookmarks and meta, as
        named tuples. Raises ValueError if the statement is wrong or would write."""
        columns, rows = self._open.sql(_text("sql", statement, "a SELECT"))
        row = _row(tuple(columns))
        return [row(*cells) for cells in rows]

    def frame(self, statement: str = "SELECT * FROM events") -> pandas.DataFrame:
        """As sql(), but returns a pandas DataFrame; by default of all events. Columns have the
        names of the SELECT, also if there is no row. Raises ImportError without pandas."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("frame: got no pandas, expected it to be installed (pip install pandas); "
                              "sql() returns the same rows without pandas") from error
        columns, rows = self._open.sql(_text("frame", statement, "a SELECT"))
        return pandas.DataFrame(rows, columns=columns)

    @property
    def events(self) -> list[typing.Any]:
        """All events in one list; `for event in recording` needs less memory."""
        return self[:]

    @property
    def steps(self) -> list[typing.Any]:
        """The events of kind Step, one for each step of the program."""
        return self.sql("SELECT * FROM events WHERE kind = 'Step'")

    def event(self, number: int) -> typing.Any:
        """Returns one event, numbered from 1. Raises IndexError if there is none of this number."""
        return self._event("event", number)

    def _event(self, where, number):
        return self.sql(f"SELECT * FROM events WHERE id = {self._number(where, number)}")[0]

    def _number(self, where, number, first=1):
        """Returns `number` as an int. Raises IndexError, starting with `where`, if it is not
        between `first` and the number of events. With `first` = 0 the number is a position."""
        number = _whole(where, number, "the number of an event")
        if not first <= number <= len(self):
            raise IndexError(f"{where}: got {number}, expected one of {first} to {len(self)}")
        return number

    def query(self, text: str) -> list[int]:
        """Returns the numbers of the events that match a query, as `implicit kind:redistribute
        -op:mm`, ascending. Raises ValueError with the position of a syntax error."""
        return self._open.query(_text("query", text, "a query, as kind:redistribute"))

    def placements(self, axes: Sequence[str] = ()) -> list[InferredPlacement]:
        """Infers the placements of plain tensors of a job that was recorded with `record --plain`: an entry for
        each parameter, buffer, gradient and module output, and each axis. Axes are the process groups that
        partition the ranks; `axes` adds or renames some, as "tp=0,1|2,3"."""
        return [InferredPlacement(*fields) for fields in self._open.placements(list(axes))]

    def loaded(self, checkpoint: str | os.PathLike[str], axes: Sequence[str] = ()) -> list[LoadedTensor]:
        """Compares the first recorded values of the parameters and buffers of a job that was recorded with
        `record --plain --values all` with a checkpoint, which shardlens.checkpoint() opens. `axes`: see placements().
        Raises ValueError if the checkpoint cannot be read."""
        return [LoadedTensor(*fields) for fields in self._open.loaded(os.fspath(checkpoint), list(axes))]

    def ledgers(self, axes: Sequence[str] = ()) -> list[GradientLedger]:
        """Returns the reduction ledger of each gradient that the optimizer read in the last step of a job that was
        recorded with `record --plain`. `axes`: see placements()."""
        return [GradientLedger(gradient, read, summary, [LedgerEntry(*fields) for fields in entries], ranks)
                for gradient, read, summary, entries, ranks in self._open.ledgers(list(axes))]

    @property
    def problems(self) -> list[Problem]:
        """What is wrong in the recording or costs too much; errors first. Searches all events at
        each use."""
        return [Problem(*fields, *self._place(fields[4]), consequences)
                for *fields, consequences in self._open.problems()]

    def _place(self, events):
        """Returns the file and line of the first of these events, or of the nearest enclosing event
        that has a place; "" and 0 if none has."""
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
        """Returns the differences from another recording, as `shardlens diff`: of settings,
        program, placements, plans, collectives and values. Empty if there are none."""
        return self._compared(other)[0]

    def _compared(self, other):
        """Returns the differences, and the number of operators that both recordings have."""
        if not isinstance(other, Recording):
            raise TypeError(f"differences: got {other!r}, expected a recording, as open() returns it")
        found, alike = self._open.differences(other._open)
        return [Difference(*fields) for fields in found], alike

    def snapshot(self, position: int | None = None) -> dict[str, typing.Any]:
        """Returns the state after `position` events, by default at the end, as a dict
        (FORMAT.md)."""
        position = len(self) if position is None else self._number("snapshot", position, 0)
        return json.loads(self._open.snapshot(position))

    def caches(self, position: int | None = None) -> dict[str, typing.Any]:
        """Returns the part of snapshot() that describes the caches."""
        return {name: found for name, found in self.snapshot(position).items() if "cache" in name}

    def sentence(self, event: int) -> str:
        """Returns the text of the event's row in the Events panel of the window."""
        title, note = self._open.words(self._number("sentence", event))
        return f"{title}  [{note}]" if note else title

    def history(self, element: str, step: int | None = None) -> list[ElementEvent]:
        """Returns the events that made, masked, reduced or moved one element, as "y[3, 1]", on all
        ranks.

        If several tensors have the name, the newest is meant, or with `step`, a number from 1, the
        newest that this step made. The history is complete: it may begin in an earlier step. Raises ValueError if
        there is no such tensor or element."""
        _text("history", element, "an element, for example y[3, 1]")
        if step is not None:
            step = _whole("history", step, "the number of a step")
        return self._history(self._open.history(element, step))

    def _history(self, found):
        return [ElementEvent(event, step, what, tensor, self.sentence(event),
                             [ElementPlace(rank, index, value or None, masked)
                              for rank, index, value, masked in places])
                for event, step, what, tensor, places in found]

    def story(self, event: int) -> list[str]:
        """Returns lines of text that describe the outermost call around an event: the events inside
        of it (the first 1000), then its place in the program."""
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


# Returns a named tuple class with these fields; invalid names become _0, _1, ...
@functools.lru_cache
def _row(columns):
    return collections.namedtuple("Row", columns, rename=True)


def _whole(where, value, expected):
    """Returns the value as an int. Raises TypeError if it is not a whole number."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{where}: got {value!r}, expected {expected}") from None


def _text(where, value, expected):
    if not isinstance(value, str):
        raise TypeError(f"{where}: got {value!r}, expected {expected}")
    return value


def checked_path(where, path, expected):
    """Returns the path, decoded if it is bytes. Raises TypeError if it is no path, and
    FileNotFoundError if nothing exists there."""
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{where}: got {path!r}, expected {expected}")
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, f"{where}: got a path that does not exist", os.fspath(path))
    return path


def open(path: str | os.PathLike[str]) -> Recording:
    """Opens a recording: a file, or the folder with the files of all processes of a run. Raises
    FileNotFoundError if it does not exist, and ValueError if it cannot be read."""
    return Recording(path)
