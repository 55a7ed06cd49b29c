#pragma once

#include "app/python/program_site.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/journal/forward_sites.h"
#include "core/trace/journal/recorder.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// Writes the recording of one rank of a job that runs under torch's own engine, from what Python
// sees of it. Names and placements are as torch prints them.
class JobRecorder {
 public:
  // The first mesh of all `ranks` is the recording's. `values`: capture rules; `libraries`: the
  // folders that are not the program's.
  JobRecorder(const std::string& path, const std::vector<std::string>& values, int rank, int ranks,
              const std::map<std::string, std::string>& meta, std::vector<std::string> libraries);
  ~JobRecorder();

  ProgramSite& site() { return site_; }
  // Of the program's call that comes next, see ForwardSites.
  void setAutograd(std::optional<std::uint64_t> gradient, std::uint64_t next);
  // What comes next is a step of its own, by this name.
  void nextStep(std::string name) { next_ = std::move(name); }

  SpecId spec(const std::string& dtype, Shape shape, Placements placements, DeviceMesh mesh);
  TensorId tensor(const std::string& name, SpecId spec) { return recorder_.addTensor(name, spec); }
  bool wantsValue(TensorId tensor) const { return recorder_.wantsValue(tensor, rank_); }
  void value(TensorId tensor, Shape shape, std::string_view elements);

  EventId beginOperator(const std::string& name, const std::vector<TensorId>& inputs);
  void end(EventId id) { recorder_.end(id); }
  // `key`: the question of a miss.
  void lookup(const std::string& table, bool isHit, const std::string& key, std::size_t entries);
  EventId beginRedistribute(const Placements& from, const Placements& to, TensorId source,
                            bool isExplicit);
  struct PlanStep {
    int meshDim;
    std::string axis;
    Placement from, to;
  };
  void plan(const Placements& from, const Placements& to, const std::vector<PlanStep>& steps);
  EventId beginCollective(const std::string& kind, const std::string& groups, int meshDim,
                          const std::string& axis, std::int64_t bytes);
  BufferId maskBuffer() { return recorder_.nextBuffer(); }
  // `kind`: "materialized", by this holder, "applied" or "released".
  EventId mask(const std::string& kind, const Placement& placement, BufferId buffer, int refcount,
               std::uint32_t related, const std::string& holder);
  void result(const std::string& name, TensorId tensor, std::int64_t bytes);
  void error(const std::string& message);

  void flush();
  void close();

 private:
  void ask();

  int rank_, ranks_;
  bool hasMesh_ = false;
  Recorder recorder_;
  std::unique_ptr<TraceWriter> writer_;
  ProgramSite site_;
  ForwardSites forward_;
  std::string program_;                     // its file, of whose lines events are
  std::shared_ptr<const SiteRecord> told_;  // where the newest event was
  std::optional<std::uint64_t> gradient_;
  std::uint64_t nextNode_ = 0;
  std::string next_;
  int step_ = -1;
  EventId stepSpan_ = 0;
};

}  // namespace shardlens
