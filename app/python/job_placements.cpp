#include "app/python/job_placements.h"

#include "app/python/converted.h"

#include <utility>

namespace py = pybind11;

namespace shardlens {
namespace {

constexpr std::size_t kMostHeld = 1'000;  // a cache is cleared at this size

}  // namespace

const JobPlacements::Known& JobPlacements::of(py::handle placement) {
  const auto known = placements_.find(placement.ptr());
  if (known != placements_.end()) return known->second;
  if (placements_.size() >= kMostHeld) placements_.clear();
  Known made{.object = py::reinterpret_borrow<py::object>(placement), .text = {}};
  try {
    const Placement read = placementOf(placement);
    made.text = toText(read);
    if (const auto* mask = std::get_if<MaskPartial>(&read)) made.mask = *mask;
  } catch (const py::value_error&) {
    made.text = py::str(placement).cast<std::string>();
  }
  return placements_.emplace(placement.ptr(), std::move(made)).first->second;
}

std::string JobPlacements::listText(py::handle placements) {
  const auto known = tuples_.find(placements.ptr());
  if (known != tuples_.end()) return known->second.text;
  std::string list;
  std::size_t size = 0;
  for (const auto& each : placements) list += (size++ == 0 ? "" : ", ") + text(each);
  if (size != 1) list = "(" + list + ")";
  if (!PyTuple_CheckExact(placements.ptr())) return list;
  if (tuples_.size() >= kMostHeld) tuples_.clear();
  tuples_.emplace(placements.ptr(),
                  Known{.object = py::reinterpret_borrow<py::object>(placements), .text = list});
  return list;
}

MaskPartial JobPlacements::mask(py::handle placement) { return of(placement).mask; }

}  // namespace shardlens
