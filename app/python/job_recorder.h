#pragma once

#include "app/python/program_site.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/recorder/forward_sites.h"
#include "core/trace/recorder/recorder.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// Writes the recording of one rank of a job that runs on torch's own DTensor. The Python package
// shardlens._job calls it from hooks in torch. Spans (begin..., end) must be closed in reverse
// order. One thread at a time may use it, with the GIL held. Throws Refusal on errors. If the disk
// is slower than the job, values are dropped first; then waitForDisk() blocks the job.
class JobRecorder {
 public:
  // Replaces the file at `path`. `values` are capture rules, see parseCaptureRule(). `meta` is
  // written as it is; its "path" is the program's file. `libraries` are path prefixes of files that
  // do not belong to the program, see ProgramSite.
  JobRecorder(const std::string& path, const std::vector<std::string>& values, int rank, int ranks,
              const std::map<std::string, std::string>& meta, std::vector<std::string> libraries);
  // Completes the file, but ignores write errors: call close() to get them.
  ~JobRecorder();

  ProgramSite& site() { return site_; }
  // Sets autograd's state for the next top-level event: the sequence number of the node that runs
  // (nullopt in forward) and the number that the next node will get. See ForwardSites::of().
  void setAutograd(std::optional<std::uint64_t> gradient, std::uint64_t next);
  // Begins a step of this name with the next top-level event; ends the current step then.
  void nextStep(std::string name) { next_ = std::move(name); }
  // Withdraws the step that nextStep() announced. Returns false if an event has begun it.
  bool cancelStep() { return !std::exchange(next_, {}).empty(); }
  // Blocks, without the GIL, until the writer's queue has room for the events of any one call.
  void waitForDisk();
  // Records what the recorder cannot observe, as a line of the metadata "limits". Ignores a line
  // that it has recorded.
  void limit(const std::string& what);
  // Sets the recording's mesh, if it has none yet and this one has all ranks.
  void mesh(const DeviceMesh& mesh);

  // Interns a spec. `dtype` is torch's name, as "float32". Returns 0 if recordings have no such
  // dtype.
  SpecId spec(const std::string& dtype, Shape shape, Placements placements, DeviceMesh mesh);
  TensorId tensor(const std::string& name, SpecId spec) { return recorder_.addTensor(name, spec); }
  // Returns true if a capture rule selects the tensor's value on this rank, and the disk keeps up.
  bool recordsValue(TensorId tensor);
  // Records the rank's local tensor: `elements` are its raw bytes in row-major order.
  void value(TensorId tensor, Shape shape, std::string_view elements);

  // `name` is the qualified name, as "aten.add.Tensor".
  EventId beginOperator(const std::string& name, const std::vector<TensorId>& inputs);
  void end(EventId id) { recorder_.end(id); }
  // Records a cache lookup. `table` is "strategy" or "plan". `key` describes the query; it is
  // recorded for a miss only. `entries` is the size of the cache.
  void lookup(const std::string& table, bool isHit, const std::string& key, std::size_t entries);
  using Texts = std::vector<std::string>;  // a placement each, as "S(0)"
  // `source` is 0 if unknown. `isExplicit`: the program requested it, not an operator for an input.
  EventId beginRedistribute(const Texts& from, const Texts& to, TensorId source, bool isExplicit);
  // A change of placement along one mesh dimension, whose name is `axis`.
  struct PlanStep {
    int meshDim;
    std::string axis;
    std::string from, to;
  };
  void plan(const Texts& from, const Texts& to, const std::vector<PlanStep>& steps);
  struct Collective {
    std::string kind;        // as "all_reduce"
    std::string groups;      // the members of all groups, as "0,1|2,3"
    std::string channel;     // of a send or recv: its direction and tag, "0->1 tag 0"; else empty
    int meshDim = -1;        // -1 if the group does not belong to a mesh
    std::string axis;        // the name of the mesh dimension, or empty
    std::int64_t bytes = 0;  // sent by this rank
  };
  // The process group is that of this rank, named by its members ("0,1"), so each group has one
  // sequence of numbers. A send and its recv have the same channel and number.
  EventId beginCollective(const Collective& of);
  // Returns the id of a new mask buffer; does not record an event.
  BufferId maskBuffer() { return recorder_.nextBuffer(); }
  // Records an event of a mask buffer. `kind` is "materialized", "applied" or "released".
  // `refcount` is the count after the event. `related` is, for "released", the event that
  // materialized the mask. `holder` names the operator that runs, or is empty.
  EventId mask(const std::string& kind, const Placement& placement, BufferId buffer, int refcount,
               std::uint32_t related, const std::string& holder);
  // `bytes`: size of the local tensor.
  void result(const std::string& name, TensorId tensor, std::int64_t bytes);
  // Also cancels a pending nextStep(), so that the error belongs to the step that ran.
  void error(const std::string& message);
  // Records a failure of the recorder itself. Does not affect steps.
  void failed(const std::string& message);

  // Blocks until all events so far are written to the file.
  void flush();
  // Ends the step and completes the file. Later calls do nothing.
  void close();

 private:
  // Called by the recorder before a top-level event: sets its site, and begins a pending step.
  void onTopLevelEvent();

  int rank_, ranks_;
  bool hasMesh_ = false;
  Recorder recorder_;
  std::unique_ptr<TraceWriter> writer_;
  ProgramSite site_;
  ForwardSites forward_;
  std::string program_;                         // the program's file: events have lines of this one
  std::shared_ptr<const SiteRecord> lastSite_;  // the site set last in recorder_
  std::optional<std::uint64_t> gradient_;
  std::uint64_t nextNode_ = 0;
  std::string next_;    // name of the pending step, or empty
  std::string limits_;  // the metadata "limits"
  int step_ = -1;
  EventId stepSpan_ = 0;
};

}  // namespace shardlens
