// The extension module _checkpoints, which reads checkpoints. It needs no torch.
// shardlens.checkpoint() wraps its results in named tuples.

#include "app/python/raised.h"
#include "core/base/json_text.h"
#include "core/checkpoints/checkpoint_check.h"
#include "core/checkpoints/checkpoint_json.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl/filesystem.h>

namespace py = pybind11;
using namespace pybind11::literals;

namespace shardlens {
namespace {

// An open checkpoint that has been checked. Immutable, so threads may share it.
class OpenCheckpoint {
 public:
  // Throws ValueError if the path is no checkpoint.
  explicit OpenCheckpoint(const std::filesystem::path& path) {
    auto opened = [&] {
      const py::gil_scoped_release released;
      auto checkpoint = openCheckpoint(path);
      if (checkpoint) checkCheckpoint(*checkpoint);
      return checkpoint;
    }();
    checkpoint_ = orRaise(std::move(opened));
  }

  // Returns the content without elements as JSON, as `shardlens checkpoint --json`.
  std::string json() const { return jsonText(checkpointJson(checkpoint_)); }
  // Returns the member "against" of `shardlens checkpoint --against --json`.
  std::string compare(const OpenCheckpoint& other) const {
    const py::gil_scoped_release released;
    const auto comparison = compareCheckpoints(checkpoint_, other.checkpoint_);
    return jsonText(comparisonJson(other.checkpoint_, comparison));
  }

 private:
  Checkpoint checkpoint_;
};

}  // namespace

PYBIND11_MODULE(_checkpoints, module) {
  py::class_<OpenCheckpoint>(module, "OpenCheckpoint")
      .def(py::init<const std::filesystem::path&>(), "path"_a)
      .def("json", &OpenCheckpoint::json)
      .def("compare", &OpenCheckpoint::compare, "other"_a);
}

}  // namespace shardlens
