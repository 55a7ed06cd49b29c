#include "app/python/job_placements.h"

#include "app/python/converted.h"

#include <utility>

namespace py = pybind11;

namespace shardlens {
namespace {

constexpr std::size_t kMostHeld = 1'000;  // a cache is cleared at this size

}  // namespace

const JobPlacements::Known& JobPlacements::known(py::handle placement) {
  const auto found = placements_.find(placement.ptr());
  if (found != placements_.end()) return found->second;
  if (placements_.size() >= kMostHeld) placements_.clear();
  Known made{.object = py::reinterpret_borrow<py::object>(placement), .number = ++numbers_};
  try {
    const Placement read = placementOf(placement);
    made.recorded.placements = {read};
    if (const auto* mask = std::get_if<MaskPartial>(&read)) made.mask = *mask;
  } catch (const py::value_error&) {
    made.recorded.text = py::str(placement).cast<std::string>();
  }
  return placements_.emplace(placement.ptr(), std::move(made)).first->second;
}

RecordedPlacements JobPlacements::list(py::handle placements) {
  const auto found = tuples_.find(placements.ptr());
  if (found != tuples_.end()) return found->second.recorded;
  RecordedPlacements list;
  std::string text;
  bool areKnown = true;
  std::size_t size = 0;
  for (const auto& each : placements) {
    const RecordedPlacements& recorded = known(each).recorded;
    areKnown = areKnown && recorded.text.empty();
    text += (size++ == 0 ? "" : ", ") + listText(recorded);
    if (areKnown) list.placements.push_back(recorded.placements.front());
  }
  if (!areKnown) {
    list.placements.clear();
    list.text = size == 1 ? text : "(" + text + ")";
  }
  if (!PyTuple_CheckExact(placements.ptr())) return list;
  if (tuples_.size() >= kMostHeld) tuples_.clear();
  tuples_.emplace(placements.ptr(), Known{.object = py::reinterpret_borrow<py::object>(placements),
                                          .recorded = list,
                                          .number = ++numbers_});
  return list;
}

std::uint64_t JobPlacements::numberOfTuple(const py::tuple& placements) {
  const auto found = tuples_.find(placements.ptr());
  if (found != tuples_.end()) return found->second.number;
  list(placements);
  const auto added = tuples_.find(placements.ptr());
  return added != tuples_.end() ? added->second.number : ++numbers_;  // a subclass is not cached
}

MaskPartial JobPlacements::mask(py::handle placement) { return known(placement).mask; }

}  // namespace shardlens
