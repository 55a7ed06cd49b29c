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
  RecordedPlacements list;
  for (const auto& each : placements) {
    const RecordedPlacements& recorded = known(each).recorded;
    if (!recorded.text.empty()) return textOf(placements);
    list.placements.push_back(recorded.placements.front());
  }
  return list;
}

RecordedPlacements JobPlacements::textOf(py::handle placements) {
  RecordedPlacements list;
  std::size_t size = 0;
  for (const auto& each : placements) {
    list.text += (size++ == 0 ? "" : ", ") + listText(known(each).recorded);
  }
  if (size != 1) list.text = "(" + list.text + ")";
  return list;
}

MaskPartial JobPlacements::mask(py::handle placement) { return known(placement).mask; }

}  // namespace shardlens
