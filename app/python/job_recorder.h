#pragma once

#include "app/python/flush_at_terminate.h"
#include "app/python/job_placements.h"
#include "app/python/program_site.h"
#include "core/trace/file/ring_writer.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/recorder/partial_sink.h"
#include "core/trace/recorder/program_recorder.h"
#include "core/trace/records/clock_record.h"
#include "core/trace/records/recorded_placements.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardlens {

// A recording of one rank of a job that runs on torch's own DTensor. The Python package
// shardlens._job calls it from hooks in torch. Spans (begin..., end) must be closed in reverse
// order. One thread at a time may use it, with the GIL held. Throws Refusal if the file cannot be
// created or written. If the disk is slower than the job, values are dropped first; then
// waitForDisk() blocks the job.
class JobRecorder {
 public:
  // The part of the job to record; "" for all of it.
  struct Part {
    std::string steps = {};  // see StepSelection
    std::string keep = {};   // the end of the job only: see parseRingExtent()
    // The steps whose operators are recorded, see StepSelection. Other steps have their
    // collectives.
    std::string operators = {};
  };
  // Replaces the file at `path`. `values` are capture rules, see parseCaptureRule(). Throws Refusal
  // if one of these or `part` is invalid. `meta` is written as it is; its "path" is the program's
  // file. `libraries` are path prefixes of files that do not belong to the program, see
  // ProgramSite. `autograd`: see ProgramRecorder.
  JobRecorder(const std::string& path, const std::vector<std::string>& values, int rank, int ranks,
              const std::map<std::string, std::string>& meta, std::vector<std::string> libraries,
              std::function<ProgramRecorder::Autograd()> autograd, const Part& part);
  // Completes the file, but ignores write errors: call close() to get them.
  ~JobRecorder();

  ProgramSite& site() { return site_; }
  JobPlacements& placements() { return placements_; }
  // See ProgramRecorder for the next five.
  void nextStep(std::string name) { program_.nextStep(std::move(name)); }
  bool cancelStep() { return program_.cancelStep(); }
  void beginStep() { program_.beginStep(); }
  bool recordsOperators() const { return program_.recordsOperators(); }
  bool takeGap() { return program_.takeGap(); }
  // Blocks, without the GIL, until the writer's queue has room for the events of any one call.
  // Returns at once after close().
  void waitForDisk();
  // Records what the recorder cannot observe, as a line of the metadata "limits". Ignores a line
  // that it has recorded.
  void limit(const std::string& what);
  // Sets the recording's mesh, if it has none yet and this one has all ranks.
  void mesh(const DeviceMesh& mesh);

  // Interns a spec. `dtype` is torch's name, as "float32". Returns 0 if recordings have no such
  // dtype.
  SpecId spec(const std::string& dtype, Shape shape, Placements placements, DeviceMesh mesh);
  // Registers a tensor under a name and returns its new id.
  TensorId tensor(const std::string& name, SpecId spec) { return recorder_.addTensor(name, spec); }
  // Registers a plain tensor of this rank: a spec without placements. Returns 0 if recordings have
  // no such dtype.
  TensorId plainTensor(const std::string& name, const std::string& dtype, Shape shape);
  // Returns true if a capture rule selects the tensor's value on this rank and the disk keeps up.
  // If only the disk is too slow, records a limit().
  bool recordsValue(TensorId tensor);
  // Records the rank's local tensor, for which recordsValue() has returned true: `elements` are its
  // raw bytes in row-major order.
  void value(TensorId tensor, Shape shape, std::string_view elements);

  // Returns true if value() would record the elements of the tensor, not only a summary.
  bool recordsElements(TensorId tensor, std::size_t bytes) const {
    return recorder_.recordsElements(tensor, rank_, bytes);
  }
  // Records a value without elements, for which recordsValue() has returned true, as that of an
  // earlier event.
  void summary(EventId event, TensorId tensor, Shape shape, const Statistics& statistics,
               std::uint64_t hash);
  EventId newestEvent() const { return recorder_.newestEvent(); }

  // `name` is the qualified name, as "aten.add.Tensor". `detail`: see PlainCall; else empty.
  EventId beginOperator(const std::string& name, const std::vector<TensorId>& inputs,
                        const std::string& detail = {});
  // Ends an operator or a redistribution.
  void end(EventId id) { recorder_.end(id); }
  // The fields of a cache key with their values as text: "self" is "f32[4](R)".
  using CacheKey = std::vector<std::pair<std::string, std::string>>;
  // Records a cache lookup. `table` is "strategy" or "plan". `key` is recorded for a miss only.
  // `entries` is the size of the cache.
  void lookup(const std::string& table, bool isHit, const CacheKey& key, std::size_t entries);
  struct Change {
    const RecordedPlacements& from;
    const RecordedPlacements& to;
  };
  // `source` is 0 if unknown. `isExplicit`: the program requested it, not an operator for an input.
  EventId beginRedistribute(const Change& change, TensorId source, bool isExplicit);
  // A change of placement along one mesh dimension, whose name is `axis`.
  struct PlanStep {
    int meshDim;
    std::string axis;
    RecordedPlacements from, to;
  };
  // Records the steps that DTensor takes for a change of placements. `key` identifies the change
  // and the steps for planAgain().
  void plan(std::string key, const Change& change, const std::vector<PlanStep>& steps);
  // Records a plan that plan() has recorded with this key. Returns false if there is none.
  bool planAgain(const std::string& key);
  struct Collective {
    std::string kind;         // as "all_reduce"
    std::string groups;       // the members of all groups, as "0,1|2,3"
    std::string channel;      // of a send or recv: its direction and tag, "0->1 tag 0"; else empty
    int meshDim = -1;         // in the mesh of the job; -1 if unknown, or several
    std::string axis;         // the name of the mesh dimension, or empty
    std::int64_t bytes = 0;   // sent by this rank
    std::string device = {};  // its GPU, as "cuda:0"; else empty
  };
  // Begins a collective in `of.groups` and returns its id. The recorded process group is that of
  // this rank, named by its members ("0,1"), so each group has one sequence of numbers. A send and
  // its recv have the same channel and number. An unknown `of.kind` is recorded by its name.
  EventId beginCollective(const Collective& of);
  // Ends a collective that is complete with its call.
  void endCollective(EventId id);
  // Records that the call that enqueues a collective returned. Later events are not inside of it.
  void enqueued(EventId id);
  // Between these calls the program is blocked until an enqueued collective is complete. endWait()
  // ends the collective. Both ignore one that has ended.
  void beginWait(EventId id);
  void endWait(EventId id);
  // Ends an enqueued collective; ignores one that has ended. `took` is its duration, and `exposed`
  // the time for which it blocked its stream, both in nanoseconds. Without `took` it ends now.
  // Without `exposed`, it blocked the program for the duration of its call and waits.
  void completed(EventId id, std::optional<std::int64_t> took, std::optional<std::int64_t> exposed);
  // Returns the id of a new mask buffer; does not record an event.
  BufferId maskBuffer() { return recorder_.nextBuffer(); }
  // Records an event of a mask buffer. `kind` is "materialized", "applied" or "released".
  // `refcount` is the count after the event. `related` is, for "released", the event that
  // materialized the mask, else 0. `holder` names the operator that runs, or is empty.
  EventId mask(const std::string& kind, const MaskPartial& placement, BufferId buffer, int refcount,
               std::uint32_t related, const std::string& holder);
  // Records a tensor that the running operator returned. `bytes`: size of the local tensor.
  // `detail`: see PlainResult; else empty.
  void result(const std::string& name, TensorId tensor, std::int64_t bytes,
              const std::string& detail = {});
  // Records an exception of the program, or a failure of the recorder itself; see
  // ProgramRecorder::error().
  void error(const std::string& message) { program_.error(message); }

  // Retains what a recording of the end of the job has now; see RingWriter::retain(). Does nothing
  // for other recordings.
  void retain(const std::string& reason);
  // Blocks until all events so far are written to the file. Throws Refusal if they could not be.
  // Does nothing after close().
  void flush();
  // Ends the step and completes the file. Throws Refusal if data could not be written. Later calls
  // of close(), flush() and waitForDisk() do nothing, and later events are not recorded.
  void close();

 private:
  // An enqueued collective.
  struct InFlight {
    std::int64_t mark = 0;     // when the call or the wait that runs began
    std::int64_t exposed = 0;  // so far
  };
  struct Groups {
    std::string all;  // as ranksText() writes them
    std::string own;  // the group of this rank; empty if it is in none
  };

  const Groups& groupsOf(const std::string& text);
  Event planEvent(const Change& change, const std::vector<PlanStep>& steps);
  // Sets the route of an event, or its name if recordings do not know the placements.
  void setRoute(Event& event, const Change& change);
  // Returns the program's location. Records an anchor of the clocks from time to time.
  std::shared_ptr<const SiteRecord> siteNow();
  // Records how the clocks of this machine relate to the recording's, at its start and now.
  void anchor();
  // Adds the time since the call or the wait began to the exposed time of a collective.
  void endBlocked(EventId id);

  // Returns the writers of the files; none after close(). A thread that releases the GIL shares
  // them, because another thread may close the recording meanwhile.
  std::vector<std::shared_ptr<TraceWriter>> writers() const;
  // Adds the sinks that write the file.
  void open(const std::string& path, const Part& part);
  // Returns the writer of the file; null after close().
  TraceWriter* writer() const { return ring_ ? &ring_->writer() : writer_.get(); }

  int rank_, ranks_;
  bool hasMesh_ = false;
  Recorder recorder_;
  std::shared_ptr<TraceWriter> writer_;  // null with ring_
  std::optional<PartialSink> sampled_;   // writes to writer_ if only some steps are recorded
  std::unique_ptr<RingWriter> ring_;     // if only the end of the job is recorded
  std::optional<FlushAtTerminate> flushAtTerminate_;
  ProgramSite site_;
  JobPlacements placements_;
  ProgramRecorder program_;
  std::unordered_map<std::string, Groups> groups_;  // by their text in the arguments
  std::unordered_map<std::string, Event> plans_;    // Plan events, by their keys
  std::string limits_;                              // the metadata "limits"
  std::unordered_map<EventId, InFlight> inFlight_;
  ClockRecord clock_;
  std::int64_t nextAnchor_ = 0;
};

}  // namespace shardlens
