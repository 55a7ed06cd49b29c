// The extension module _jobs, which writes recordings of jobs that run on torch's own DTensor.
// shardlens._job calls it. It links neither the engine nor torch, so one build fits any torch.

#include "app/python/converted.h"
#include "app/python/hooks.h"
#include "app/python/job_recorder.h"
#include "app/python/job_tensors.h"
#include "app/python/operator_watch.h"
#include "app/python/raised.h"
#include "core/model/rank_selector.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <string_view>

namespace py = pybind11;
using namespace pybind11::literals;

namespace shardlens {
namespace {

// Returns a function that queries libtorch's autograd. `gradientNode` returns the node that runs,
// or None; `nextNode` the sequence number that the next node will get.
std::function<ProgramRecorder::Autograd()> autogradOf(py::function gradientNode,
                                                      py::function nextNode) {
  return [gradientNode = std::move(gradientNode), nextNode = std::move(nextNode),
          name = attributeName("_sequence_nr")] {
    ProgramRecorder::Autograd state{.next = nextNode().cast<std::uint64_t>()};
    const py::object node = gradientNode();
    if (!node.is_none()) state.gradient = calledMethod(node, name).cast<std::uint64_t>();
    return state;
  };
}

DeviceMesh meshOf(std::vector<int> shape, std::vector<std::string> names, std::vector<int> ranks) {
  return orRaise(DeviceMesh::make(std::move(shape), std::move(names), std::move(ranks)));
}

// Appends a number to a key.
void addTo(std::string& key, std::uint64_t number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// Returns a key of a plan, which is the same for the same placements.
std::string planKey(JobPlacements& placements, const py::tuple& from, const py::tuple& to,
                    const py::list& steps) {
  std::string key;
  addTo(key, from.size());
  for (const auto& each : from) addTo(key, placements.numberOf(each));
  for (const auto& each : to) addTo(key, placements.numberOf(each));
  for (const auto& each : steps) {
    const auto step = each.cast<py::tuple>();
    const auto axis = step[1].cast<std::string_view>();
    addTo(key, static_cast<std::uint64_t>(step[0].cast<int>()));
    addTo(key, axis.size());
    key += axis;
    addTo(key, placements.numberOf(step[2]));
    addTo(key, placements.numberOf(step[3]));
  }
  return key;
}

}  // namespace

PYBIND11_MODULE(_jobs, module) {
  py::module_::import("shardlens._placements");
  py::class_<WatchedThread>(module, "WatchedThread")
      .def(py::init<py::object, py::object>(), "tracing"_a, "gradient_node"_a)
      .def("__call__", &WatchedThread::isWatched);
  addHook(module);
  py::class_<JobRecorder>(module, "JobRecorder")
      .def(py::init([](const std::filesystem::path& path, const std::vector<std::string>& values,
                       int rank, int ranks, const std::map<std::string, std::string>& meta,
                       std::vector<std::string> libraries, py::function gradientNode,
                       py::function nextNode, std::string steps, std::string keep,
                       std::string operators) {
             return std::make_unique<JobRecorder>(
                 path.string(), values, rank, ranks, meta, std::move(libraries),
                 autogradOf(std::move(gradientNode), std::move(nextNode)),
                 JobRecorder::Part{std::move(steps), std::move(keep), std::move(operators)});
           }),
           "path"_a, "values"_a, "rank"_a, "ranks"_a, "meta"_a, "libraries"_a, "gradient_node"_a,
           "next_node"_a, "steps"_a = "", "keep"_a = "", "operators"_a = "")
      .def("set_module", [](JobRecorder& r, std::string m) { r.site().setModule(std::move(m)); })
      .def("set_pass", [](JobRecorder& r, std::string p) { r.site().setPass(std::move(p)); })
      .def("next_step", &JobRecorder::nextStep)
      .def("cancel_step", &JobRecorder::cancelStep)
      .def("begin_step", &JobRecorder::beginStep)
      .def("records_operators", &JobRecorder::recordsOperators)
      .def("take_gap", &JobRecorder::takeGap)
      .def("limit", &JobRecorder::limit)
      .def("retain", &JobRecorder::retain)
      .def("mesh",
           [](JobRecorder& r, std::vector<int> shape, std::vector<std::string> names,
              std::vector<int> ranks) {
             r.mesh(meshOf(std::move(shape), std::move(names), std::move(ranks)));
           })
      .def("spec",
           [](JobRecorder& r, const std::string& dtype, Shape shape, const py::object& placements,
              std::vector<int> meshShape, std::vector<std::string> names, std::vector<int> ranks) {
             return r.spec(dtype, std::move(shape), placementsOf(placements),
                           meshOf(std::move(meshShape), std::move(names), std::move(ranks)));
           })
      .def("plain_tensor", &JobRecorder::plainTensor)
      .def(
          "begin_operator",
          [](JobRecorder& r, const std::string& name, const std::vector<TensorId>& inputs,
             const std::string& detail) {
            r.waitForDisk();
            return r.beginOperator(name, inputs, detail);
          },
          "name"_a, "inputs"_a, "detail"_a)
      .def(
          "result",
          [](JobRecorder& r, const std::string& name, TensorId tensor, std::int64_t bytes,
             const std::string& detail) {
            r.waitForDisk();
            r.result(name, tensor, bytes, detail);
          },
          "name"_a, "tensor"_a, "bytes"_a, "detail"_a)
      .def("records_value", &JobRecorder::recordsValue)
      .def("value",
           [](JobRecorder& r, TensorId tensor, Shape shape, std::uintptr_t address,
              std::size_t bytes) {
             r.value(tensor, std::move(shape), {reinterpret_cast<const char*>(address), bytes});
           })
      .def("records_elements", &JobRecorder::recordsElements)
      .def("newest_event", &JobRecorder::newestEvent)
      .def("summary",
           [](JobRecorder& r, EventId event, TensorId tensor, Shape shape, double min, double max,
              double mean, std::int64_t nans, std::int64_t zeros, std::int64_t hash) {
             r.summary(event, tensor, std::move(shape), {min, max, mean, nans, zeros},
                       static_cast<std::uint64_t>(hash));
           })
      .def("end", &JobRecorder::end)
      .def("lookup", &JobRecorder::lookup)
      .def("begin_redistribute",
           [](JobRecorder& r, const py::iterable& from, const py::iterable& to, TensorId source,
              bool isExplicit) {
             r.waitForDisk();
             auto& placements = r.placements();
             return r.beginRedistribute({placements.list(from), placements.list(to)}, source,
                                        isExplicit);
           })
      .def("plan",
           [](JobRecorder& r, const py::tuple& from, const py::tuple& to, const py::list& steps) {
             auto& placements = r.placements();
             std::string key = planKey(placements, from, to, steps);
             if (r.planAgain(key)) return;
             std::vector<JobRecorder::PlanStep> read;
             for (const auto& each : steps) {
               const auto step = each.cast<py::tuple>();
               read.push_back({step[0].cast<int>(), step[1].cast<std::string>(),
                               placements.of(step[2]), placements.of(step[3])});
             }
             r.plan(std::move(key), {placements.list(from), placements.list(to)}, read);
           })
      .def(
          "begin_collective",
          [](JobRecorder& r, std::string kind, std::string groups, std::string channel, int meshDim,
             std::string axis, std::int64_t bytes, std::string device) {
            r.waitForDisk();
            return r.beginCollective({std::move(kind), std::move(groups), std::move(channel),
                                      meshDim, std::move(axis), bytes, std::move(device)});
          },
          "kind"_a, "groups"_a, "channel"_a, "mesh_dim"_a, "axis"_a, "bytes"_a, "device"_a = "")
      .def("end_collective", &JobRecorder::endCollective)
      .def("enqueued", &JobRecorder::enqueued)
      .def("begin_wait", &JobRecorder::beginWait)
      .def("end_wait", &JobRecorder::endWait)
      .def("completed", &JobRecorder::completed, "id"_a, "took"_a = py::none(),
           "exposed"_a = py::none())
      .def("mask_buffer", &JobRecorder::maskBuffer)
      .def("mask",
           [](JobRecorder& r, const std::string& kind, const py::object& placement, BufferId buffer,
              int refcount, std::uint32_t related, const std::string& holder) {
             return r.mask(kind, r.placements().mask(placement), buffer, refcount, related, holder);
           })
      .def(
          "error",
          [](JobRecorder& r, const std::string& message, py::handle traceback) {
            r.waitForDisk();
            const ProgramSite::Raised there(r.site(), traceback);
            r.error(message);
          },
          "message"_a, "traceback"_a = py::none())
      .def("failed", &JobRecorder::error)
      .def("flush", &JobRecorder::flush)
      .def("close", &JobRecorder::close);
  // Returns whether `selector` selects a rank; see core/model/rank_selector.h. `mesh` is
  // "2x4:dp,tp", or empty if it is not known.
  module.def(
      "selects_rank",
      [](int rank, const std::string& selector, const std::string& mesh) {
        std::optional<DeviceMesh> known;
        if (!mesh.empty()) known = orRaise(parseMesh(mesh));
        const auto ranks = selectRanks(selector, known);
        if (!ranks) throw py::value_error("ranks: " + ranks.error().message);
        return contains(*ranks, rank);
      },
      "rank"_a, "selector"_a, "mesh"_a);
  module.def("is_dense", &isDense, "shape"_a, "strides"_a);
  py::class_<JobTensors>(module, "JobTensors")
      .def(py::init<JobRecorder&, py::function>(), "jobs"_a, "describe"_a, py::keep_alive<1, 2>())
      .def("number", &JobTensors::number)
      .def("name", &JobTensors::name)
      .def("release", &JobTensors::release)
      .def("restore", &JobTensors::restore)
      .def("renew", &JobTensors::renew)
      .def("number_of_local", &JobTensors::numberOfLocal);
  py::class_<PlainTensorIds>(module, "PlainTensorIds")
      .def(py::init<JobRecorder&, py::object, py::object>(), "jobs"_a, "wrapper"_a, "weak"_a,
           py::keep_alive<1, 2>())
      .def("inner", &PlainTensorIds::inner)
      .def("renew", &PlainTensorIds::renew)
      .def("number", &PlainTensorIds::number, "tensor"_a, "name"_a = "tensor", "renames"_a = false)
      .def("overlapping", [](const PlainTensorIds& tensors, py::handle tensor) {
        py::list found;
        for (const auto& [number, name, isInside] : tensors.overlapping(tensor)) {
          found.append(py::make_tuple(number, name, isInside));
        }
        return found;
      });
  py::class_<PlainOperators>(module, "PlainOperators")
      .def(py::init([](JobRecorder& jobs, PlainTensorIds& tensors, py::object tensor,
                       py::object dtype, py::object device, py::object generator,
                       py::object pointwise, py::object seeded, py::set namespaces, py::set waits,
                       py::object isWatched, py::function beginCollective,
                       py::function collectiveBegan, py::function random) {
             return std::make_unique<PlainOperators>(
                 jobs, tensors,
                 PlainOperators::Parts{std::move(tensor), std::move(dtype), std::move(device),
                                       std::move(generator), std::move(pointwise),
                                       std::move(seeded), std::move(namespaces), std::move(waits),
                                       std::move(isWatched), std::move(beginCollective),
                                       std::move(collectiveBegan), std::move(random)});
           }),
           "jobs"_a, "tensors"_a, py::kw_only(), "tensor"_a, "dtype"_a, "device"_a, "generator"_a,
           "pointwise"_a, "seeded"_a, "namespaces"_a, "waits"_a, "is_watched"_a,
           "begin_collective"_a, "collective_began"_a, "random"_a, py::keep_alive<1, 2>(),
           py::keep_alive<1, 3>())
      .def("set_on", &PlainOperators::setOn);
  py::class_<OperatorWatch>(module, "OperatorWatch")
      .def(py::init([](JobRecorder& jobs, JobTensors& tensors, py::object dtensor,
                       py::object lookups, py::function collective, py::object tensor,
                       py::function value, py::function failed, py::function broken,
                       py::set namespaces, py::list running, bool keepsElements) {
             return std::make_unique<OperatorWatch>(
                 jobs, tensors,
                 OperatorWatch::Parts{std::move(dtensor), std::move(lookups), std::move(collective),
                                      std::move(tensor), std::move(value), std::move(failed),
                                      std::move(broken), std::move(namespaces), std::move(running),
                                      keepsElements});
           }),
           "jobs"_a, "tensors"_a, py::kw_only(), "dtensor"_a, "lookups"_a, "collective"_a,
           "tensor"_a, "value"_a, "failed"_a, "broken"_a, "namespaces"_a, "running"_a,
           "keeps_elements"_a, py::keep_alive<1, 2>(), py::keep_alive<1, 3>())
      .def("__torch_dispatch__", &OperatorWatch::dispatch, "func"_a, "types"_a,
           "args"_a = py::tuple(), "kwargs"_a = py::none())
      .def("record_plain", &OperatorWatch::recordPlain)
      .def("dispatcher", &OperatorWatch::dispatcher)
      .def("stop", &OperatorWatch::stop)
      .def("missed", &OperatorWatch::missed)
      .def("made", &OperatorWatch::made)
      .def("moved", &OperatorWatch::moved)
      .def("read", &OperatorWatch::read);
}

}  // namespace shardlens
