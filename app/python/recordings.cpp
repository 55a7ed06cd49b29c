// The extension module _recordings, which reads recordings. It needs no torch. shardlens.open()
// wraps its results in named tuples.

#include "app/python/raised.h"
#include "core/base/json_text.h"
#include "core/compare/run_differences.h"
#include "core/inference/inference.h"
#include "core/inference/tables.h"
#include "core/inference/words.h"
#include "core/loading/loaded_slices.h"
#include "core/model/ranks_text.h"
#include "core/model/step_number.h"
#include "core/query/history/element_history.h"
#include "core/query/history/element_words.h"
#include "core/query/language/event_filter.h"
#include "core/query/problems/problems.h"
#include "core/query/problems/problems_table.h"
#include "core/query/sql/sql.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/records/limits_record.h"
#include "core/trace/snapshot/snapshot_json.h"
#include "core/trace/snapshot/state_index.h"
#include "core/view/words/event_words.h"
#include "core/view/words/names.h"
#include "core/view/words/place_text.h"

#include <nlohmann/json.hpp>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <memory>
#include <optional>

namespace py = pybind11;
using namespace pybind11::literals;

namespace shardlens {
namespace {

py::object cellOf(const nlohmann::json& cell) {
  if (cell.is_null()) return py::none();
  if (cell.is_string()) return py::str(cell.get<std::string>());
  if (cell.is_number_float()) return py::float_(cell.get<double>());
  return py::int_(cell.get<std::int64_t>());
}

// A recording that may still grow. One thread at a time may use it. Functions throw ValueError for
// a recording that cannot be read and for invalid arguments.
class OpenRecording {
 public:
  explicit OpenRecording(std::filesystem::path path) : path_(std::move(path)) { open(); }

  // Reads all events written since, also those that only some processes have reached. If a process
  // has joined or caught up since, reopens the recording, which renumbers the events.
  void refresh() {
    while (orRaise(reader_->refresh())) continue;
    if (reader_->isOutdated()) return open();
    while (reader_->settle()) continue;
  }

  std::map<std::string, std::string> meta() const {
    return {journal().meta().begin(), journal().meta().end()};
  }
  std::vector<std::string> limits() const { return readLimits(journal().meta(kLimitsKey)); }
  EventId size() const { return journal().size(); }

  // Returns (names of columns, list of rows).
  py::tuple sql(const std::string& statement) {
    py::list rows;
    Sql sql(sqlSourceOf(*reader_));
    const auto columns = orRaise(sql.query(statement, [&](const SqlRow& row) {
      py::tuple cells(row.size());
      for (std::size_t i = 0; i < row.size(); ++i) cells[i] = cellOf(row[i].second);
      rows.append(cells);
    }));
    return py::make_tuple(columns, rows);
  }

  // Returns the ids of the matching events, ascending.
  std::vector<EventId> query(const std::string& text) const {
    const auto query = parseQuery(text, journal());
    if (!query) {
      throw py::value_error("query: at character " + std::to_string(query.error().at + 1) + " of " +
                            text + ": " + query.error().message);
    }
    const EventFilter filter(journal(), *query);
    std::vector<EventId> found;
    for (EventId id = filter.next(0); id != 0; id = filter.next(id)) found.push_back(id);
    return found;
  }

  // Returns (rule, severity, sentence, advice, first events, number of events, consequences) per
  // problem.
  py::list problems() const {
    py::list list;
    for (const auto& problem : findProblems(*reader_)) {
      list.append(py::make_tuple(problem.rule, severityText(problem), problem.sentence,
                                 problem.advice, problem.events, problem.times,
                                 problem.consequences));
    }
    return list;
  }

  // Returns (event, step, action, tensor, places) per event of the element's history. A place is
  // (rank, local index, value as text, whether it is masked).
  py::list history(const TensorElement& element) const {
    py::list list;
    for (const ElementEvent& each : elementHistory(journal(), element.tensor)) {
      py::list places;
      for (const auto& place : placesAfter(journal(), each, element.index)) {
        places.append(py::make_tuple(place.rank, py::tuple(py::cast(place.index)), place.value,
                                     place.isMasked));
      }
      list.append(py::make_tuple(each.event, stepNumber(journal().at(each.event).step),
                                 wordOf(each.what), view::tensorName(journal(), each.tensor),
                                 places));
    }
    return list;
  }
  // As history(), for an element as "y[3, 1]".
  py::list historyOf(const std::string& element, std::optional<int> step) const {
    const auto found =
        findElement(journal(), element, step ? std::optional(stepIndex(*step)) : step);
    if (!found) throw py::value_error("history: " + found.error().message);
    return history(*found);
  }

  // Returns (tensor, role, local shape, axis, placement or None, contradicted, evidence, event,
  // because, type or None, ranks of its stage or None) for each plain tensor and axis. `axes`: as
  // parseRankAxis() reads them.
  py::list placements(const std::vector<std::string>& axes) const {
    const auto found = inferred("placements", axes);
    py::list list;
    for (const auto& tensor : found.tensors) {
      for (std::size_t axis = 0; axis < found.axes.size(); ++axis) {
        const auto& inferred = tensor.placements[axis];
        list.append(py::make_tuple(
            tensor.name, roleName(tensor.role), py::tuple(py::cast(tensor.shape)),
            found.axes[axis].name, placementOrNone(inferred), inferred.isContradicted,
            evidenceName(inferred.evidence.kind), inferred.evidence.event,
            evidenceText(journal(), found.axes[axis], inferred),
            inferred.type ? py::object(py::str(toText(*inferred.type))) : py::none(),
            stageOrNone(tensor.ranks)));
      }
    }
    return list;
  }

  // Returns (gradient, event of the read, summary, entries, ranks of its stage or None) of the last
  // step's gradients. An entry is (kind, event, what, reduction, names of axes, factor or None,
  // placements as texts or None, by the name of the axis, place).
  py::list ledgers(const std::vector<std::string>& axes) const {
    const auto found = inferred("ledgers", axes);
    py::list list;
    for (const auto& ledger : newestLedgers(found.ledgers)) {
      py::list entries;
      for (const auto& entry : ledger.entries) {
        py::list over;
        for (const auto axis : entry.axes) over.append(found.axes[axis].name);
        py::dict then;
        for (std::size_t axis = 0; axis < entry.placements.size(); ++axis) {
          then[py::str(found.axes[axis].name)] = placementOrNone(entry.placements[axis]);
        }
        entries.append(py::make_tuple(entryName(entry.kind), entry.event, entry.what,
                                      entry.reduction, over, entry.factor, then,
                                      view::placeText(journal(), journal().at(entry.event))));
      }
      list.append(py::make_tuple(ledger.name, ledger.read, ledgerSummary(ledger, found.axes),
                                 entries, stageOrNone(ledger.ranks)));
    }
    return list;
  }

  // Returns (tensor, name in the checkpoint or None, placements by the name of the axis, slices as
  // (rank, offsets, sizes), problems, why it is not compared or None) of each parameter and buffer.
  py::list loaded(const std::filesystem::path& path, const std::vector<std::string>& axes) const {
    const auto checkpoint = orRaise(openCheckpoint(path));
    const auto found = inferred("loaded", axes);
    py::list list;
    for (const auto& tensor : compareWithCheckpoint(journal(), found, checkpoint)) {
      py::dict placements;
      for (std::size_t axis = 0; axis < tensor.placements.size(); ++axis) {
        placements[py::str(found.axes[axis].name)] = toText(tensor.placements[axis]);
      }
      py::list slices;
      for (const auto& [rank, box] : tensor.slices) {
        slices.append(
            py::make_tuple(rank, py::tuple(py::cast(box.offsets)), py::tuple(py::cast(box.sizes))));
      }
      list.append(py::make_tuple(tensor.name, textOrNone(tensor.stored), placements, slices,
                                 tensor.problems, textOrNone(tensor.whyNot)));
    }
    return list;
  }

  // Returns the state after `position` events, as JSON (FORMAT.md).
  std::string snapshot(EventId position) {
    return jsonText(snapshotJson(journal(), states_->at(position)));
  }

  // Returns (differences, number of operators that both recordings have). A difference is (kind,
  // sentence, event here, event in `other`); an event is 0 if there is none.
  py::tuple differences(const OpenRecording& other) const {
    const auto steps = pairSteps(journal(), other.journal());
    const auto events = pairEvents(journal(), other.journal(), steps);
    py::list found;
    compareRuns(journal(), other.journal(), steps, events, [&](const RunDifference& each) {
      found.append(py::make_tuple(nameOf(each.in), each.sentence, each.left, each.right));
    });
    std::int64_t alike = 0;
    for (EventId id = 1; id <= size(); ++id) {
      alike += journal().at(id).kind == EventKind::Operator && events.rightOf(id) ? 1 : 0;
    }
    return py::make_tuple(found, alike);
  }

  // Returns the title and the note of the event's row in the window's Events panel.
  std::pair<std::string, std::string> words(EventId id) const {
    const auto words = view::eventWords(journal(), id);
    return {words.title, words.note};
  }

 private:
  const Journal& journal() const { return reader_->journal(); }

  static py::object placementOrNone(const InferredPlacement& inferred) {
    return inferred.placement ? py::object(py::str(toText(*inferred.placement))) : py::none();
  }
  static py::object textOrNone(const std::string& text) {
    return text.empty() ? py::object(py::none()) : py::object(py::str(text));
  }
  static py::object stageOrNone(const std::vector<int>& ranks) {
    return textOrNone(ranks.empty() ? std::string() : ranksText({ranks}));
  }
  // `axes`: as parseRankAxis() reads them; `caller` is named by errors.
  InferredPlacements inferred(const char* caller, const std::vector<std::string>& axes) const {
    std::vector<RankAxis> given;
    for (const auto& text : axes) {
      auto axis = parseRankAxis(text);
      if (!axis) throw py::value_error(std::string(caller) + ": " + axis.error().message);
      given.push_back(std::move(*axis));
    }
    return inferPlacements(journal(), given);
  }

  void open() {
    states_.reset();
    reader_ = orRaise(TraceReader::open(path_));
    refresh();
    states_.emplace(journal());
  }

  std::filesystem::path path_;
  std::unique_ptr<TraceReader> reader_;
  std::optional<StateIndex> states_;
};

}  // namespace

PYBIND11_MODULE(_recordings, module) {
  py::class_<OpenRecording>(module, "OpenRecording")
      .def(py::init<std::filesystem::path>(), "path"_a)
      .def("refresh", &OpenRecording::refresh)
      .def("meta", &OpenRecording::meta)
      .def("limits", &OpenRecording::limits)
      .def("size", &OpenRecording::size)
      .def("sql", &OpenRecording::sql, "statement"_a)
      .def("query", &OpenRecording::query, "text"_a)
      .def("problems", &OpenRecording::problems)
      .def("placements", &OpenRecording::placements)
      .def("ledgers", &OpenRecording::ledgers)
      .def("loaded", &OpenRecording::loaded)
      .def("history", &OpenRecording::historyOf, "element"_a, "step"_a = py::none())
      .def(
          "history",
          [](const OpenRecording& recording, TensorId tensor, Shape index) {
            return recording.history({tensor, std::move(index)});
          },
          "tensor"_a, "index"_a)
      .def("differences", &OpenRecording::differences, "other"_a)
      .def("snapshot", &OpenRecording::snapshot, "position"_a)
      .def("words", &OpenRecording::words, "event"_a);
}

}  // namespace shardlens
