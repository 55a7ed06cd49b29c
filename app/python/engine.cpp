// The extension module _engine, the part that needs torch: sharded tensors, meshes and ranks, and
// recording. shardlens.tensor wraps it under DTensor's names.

#include "app/python/converted.h"
#include "app/python/program_recording.h"
#include "app/python/raised.h"
#include "core/base/refusal.h"
#include "core/memory/dtypes.h"
#include "core/model/shard_geometry.h"
#include "core/session/program_session.h"
#include "core/tensor/caches/plan_cache.h"
#include "core/tensor/caches/strategy_cache.h"
#include "core/tensor/distribute.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/events/explain.h"
#include "core/tensor/read_values.h"
#include "core/tensor/redistribute/redistribute.h"
#include "core/trace/events/event_names.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <torch/csrc/utils/pybind.h>

#include <map>

namespace py = pybind11;
using namespace pybind11::literals;

namespace shardlens {
namespace {

// Returns the process's ProgramSession. It is never destroyed, because tensors may outlive the
// interpreter.
ProgramSession& session() {
  static auto* const one = new ProgramSession();
  return *one;
}

std::optional<DType> engineDType(std::optional<at::ScalarType> dtype) {
  if (!dtype) return std::nullopt;
  return dtypeOf(*dtype);
}

void defineMesh(py::module_& module) {
  py::class_<DeviceMesh>(module, "Mesh", "A grid of ranks; the last dimension varies fastest.")
      .def(py::init([](std::vector<int> shape, std::vector<std::string> names,
                       std::vector<int> ranks) {
             return orRaise(DeviceMesh::make(std::move(shape), std::move(names), std::move(ranks)));
           }),
           "shape"_a, "names"_a = std::vector<std::string>(), "ranks"_a = std::vector<int>())
      .def_property_readonly("shape", [](const DeviceMesh& mesh) { return mesh.shape(); })
      .def_property_readonly("names", [](const DeviceMesh& mesh) { return mesh.names(); })
      .def_property_readonly("ranks", &DeviceMesh::ranks)
      .def("coordinate", [](const DeviceMesh& mesh, int rank) { return mesh.coordinate(rank); });
}

void defineTensors(py::module_& module) {
  module.def("is_sharded", &isDTensor, "tensor"_a);
  module.def("placements", [](const at::Tensor& t) { return objectsOf(specOf(t).placements); });
  module.def("mesh", [](const at::Tensor& t) { return *specOf(t).mesh; });
  module.def("local_shape", [](const at::Tensor& t, int rank) {
    const Spec& spec = specOf(t);
    return localShape(spec.meta.shape, *spec.mesh, spec.placements, rank);
  });
  module.def(
      "local_ranges",
      [](const at::Tensor& t, int rank) {
        const Spec& spec = specOf(t);
        std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> ranges;
        for (const Runs& runs : ownedRuns(spec.meta.shape, *spec.mesh, spec.placements, rank)) {
          auto& of = ranges.emplace_back();
          for (const Run& run : runs) of.emplace_back(run.begin, run.begin + run.length);
        }
        return ranges;
      },
      "tensor"_a, "rank"_a,
      "Returns, for each dimension, the ranges of global indices that the rank has: [(begin, "
      "end)].");
  module.def("read_whole", &readWhole, "tensor"_a,
             "Returns the values as a plain tensor. Sends, records and changes nothing.");
  module.def(
      "distribute",
      [](const at::Tensor& whole, const DeviceMesh& mesh, const py::object& placements,
         std::optional<int> source) {
        auto placed = placementsOf(placements);
        const py::gil_scoped_release unlocked;
        const auto runtime = session().on(mesh);
        return source ? distributeFrom(runtime, *source, whole.detach(), std::move(placed))
                      : distribute(runtime, whole.detach(), std::move(placed));
      },
      "whole"_a, "mesh"_a, "placements"_a, "source"_a = py::none());
  module.def(
      "redistribute",
      [](const at::Tensor& tensor, const py::object& placements,
         std::optional<at::ScalarType> forward, std::optional<at::ScalarType> backward) {
        auto placed = placementsOf(placements);
        const py::gil_scoped_release unlocked;
        return redistribute(tensor, std::move(placed),
                            {engineDType(forward), engineDType(backward)});
      },
      "tensor"_a, "placements"_a, "forward_dtype"_a = py::none(), "backward_dtype"_a = py::none());
  // to_locals and from_locals work below autograd; shardlens.tensor defines their gradients.
  module.def(
      "to_locals",
      [](const at::Tensor& tensor) {
        Buffers locals;
        for (const auto& local : toLocals(tensor)) locals.emplace_back(local.tensor_data());
        return locals;
      },
      "tensor"_a);
  module.def(
      "from_locals",
      [](const DeviceMesh& mesh, Buffers locals, const py::object& placements,
         const std::optional<Shape>& shape, const std::optional<Shape>& strides) {
        for (auto& local : locals) local = at::Tensor(local.tensor_data());
        auto placed = placementsOf(placements);
        const py::gil_scoped_release unlocked;
        return fromHostedLocals(session().on(mesh), std::move(locals), std::move(placed), shape,
                                strides);
      },
      "mesh"_a, "locals"_a, "placements"_a, "shape"_a = py::none(), "stride"_a = py::none(),
      "Returns a sharded tensor of these local tensors, one per hosted rank of the mesh. If no "
      "rank is hosted, `locals` has one tensor, whose dtype is used.");
}

struct CacheCounts {
  std::size_t hits = 0, misses = 0, entries = 0;

  template <class Cache>
  void add(const Cache& cache) {
    hits += cache.hits();
    misses += cache.misses();
    entries += cache.size();
  }
  py::tuple tuple() const { return py::make_tuple(hits, misses, entries); }
};

py::dict cacheCounts() {
  CacheCounts strategies, plans;
  if (session().runtimes()) {
    for (const auto& runtime : session().runtimes()->all()) {
      strategies.add(runtime->strategyCache());
      plans.add(runtime->planCache());
    }
  }
  return py::dict("strategy"_a = strategies.tuple(), "plan"_a = plans.tuple());
}

py::dict collectiveCounts() {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> counts;
  if (session().runtimes()) {
    for (const auto& count : session().runtimes()->scenarios()->recorder().collectives()) {
      auto& [number, bytes] = counts[std::string(collectiveName(count.kind))];
      number += count.count;
      bytes += count.bytes;
    }
  }
  py::dict found;
  for (const auto& [kind, count] : counts) found[kind.c_str()] = py::cast(count);
  return found;
}

// Sets the callback for collectives, or removes it if `callback` is None. An exception of the
// callback is reported as unraisable, because it must not leave a collective.
void onCollective(const py::object& callback) {
  if (callback.is_none()) return session().onCollective({});
  session().onCollective([callback](CollectiveKind kind) {
    const py::gil_scoped_acquire lock;
    try {
      callback(collectiveName(kind));
    } catch (py::error_already_set& error) {
      error.discard_as_unraisable(callback);
    }
  });
}

void defineSession(py::module_& module) {
  module.def(
      "init", [](int ranks) { session().init(ranks); }, "ranks"_a);
  module.def("ranks", [] { return session().ranks(); });
  module.def("processes", [] { return session().backend().processes(); });
  module.def(
      "rank", [] { return session().rank(); }, "Returns the lowest rank that this process hosts.");
  module.def(
      "check", [](const DeviceMesh& mesh) { session().check(mesh); }, "mesh"_a,
      "Raises RuntimeError if the mesh has more ranks than init() or a launcher has set.");
  module.def(
      "hosted", [](const DeviceMesh& mesh) { return session().on(mesh)->comm().hosted(); },
      "mesh"_a, "Returns the ranks of a mesh that this process hosts.");
  module.def(
      "all_gather_text",
      [](const std::string& topic, const std::string& text) {
        const py::gil_scoped_release unlocked;
        return session().backend().allGatherStrings(topic, text);
      },
      "topic"_a, "text"_a,
      "Returns the texts of all processes, in process order. All processes must call it; error "
      "messages name `topic`.");
  module.def(
      "leave",
      [](const std::string& why) {
        const py::gil_scoped_release unlocked;
        session().leave(why);
      },
      "why"_a = "");
  module.def("cache_counts", &cacheCounts,
             "Returns (hits, misses, entries) by cache, summed over all meshes.");
  module.def("collective_counts", &collectiveCounts, "Returns (number, bytes sent) by kind.");
  module.def("on_collective", &onCollective, "callback"_a,
             "Calls `callback` with the kind of each collective at its begin. None removes it.");
  module.def("is_recording", [] { return session().isRecording(); });
  module.def("next_step", [](std::string name) { session().nextStep(std::move(name)); });
  module.def("cancel_step", [] { return session().cancelStep(); });
  module.def("record_of", [](const at::Tensor& tensor) { return dtensorImpl(tensor).record(); });
  module.def("name_of", [](const at::Tensor& tensor) { return dtensorImpl(tensor).name(); });
  module.def(
      "made",
      [](const at::Tensor& tensor, const std::string& name) {
        const py::gil_scoped_release unlocked;
        recordResult(tensor, name);
      },
      "tensor"_a, "name"_a,
      "Records the tensor as a result of the program under this name. Does nothing if no "
      "recording is in progress.");
  module.def(
      "read",
      [](const at::Tensor& tensor) {
        const auto& impl = dtensorImpl(tensor);
        const Placements& placements = impl.spec().placements;
        if (std::none_of(placements.begin(), placements.end(), isPartial)) return;
        const py::gil_scoped_release unlocked;
        operatorSpan(impl.runtime(), "to_local", {tensor});
      },
      "tensor"_a,
      "Records that the program reads the partial values of a Partial tensor. Does nothing for "
      "other tensors, and if no recording is in progress.");
  module.def("set_name", [](const at::Tensor& tensor, std::string name) {
    auto& impl = dtensorImpl(tensor);
    // A tensor recorded under another name is recorded again under this one.
    if (impl.name() != name) impl.setRecord(0, std::move(name));
  });
  py::class_<ProgramRecording>(module, "ProgramRecording")
      .def(py::init([](const std::filesystem::path& path, const std::vector<std::string>& values,
                       std::string program, const std::string& arguments,
                       std::vector<std::string> libraries) {
             return std::make_unique<ProgramRecording>(session(), path.string(), values,
                                                       std::move(program), arguments,
                                                       std::move(libraries));
           }),
           "path"_a, "values"_a, "program"_a, "arguments"_a, "libraries"_a)
      .def("set_module",
           [](ProgramRecording& r, std::string m) { r.site().setModule(std::move(m)); })
      .def("set_pass", [](ProgramRecording& r, std::string p) { r.site().setPass(std::move(p)); })
      .def("error", &ProgramRecording::error, "message"_a, "traceback"_a)
      .def("flush", &ProgramRecording::flush)
      .def("close", &ProgramRecording::close);
}

}  // namespace

PYBIND11_MODULE(_engine, module) {
  py::module_::import("shardlens._placements");  // registers the classes of placements
  defineMesh(module);
  defineTensors(module);
  defineSession(module);
  module.attr("torch_version") = SHARDLENS_TORCH_VERSION;
}

}  // namespace shardlens
