#pragma once

#include "core/model/mesh.h"
#include "core/model/rank_ranges.h"
#include "core/trace/journal/journal.h"

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace shardlens {

// Returns the mesh of the recording; nullopt if it is missing or not valid.
std::optional<DeviceMesh> recordedMesh(const Journal& journal);
// Returns the mesh of a spec of this recording: `mesh`, or recordedMesh() if it is null.
std::optional<DeviceMesh> meshOf(const Journal& journal, const MeshPtr& mesh);

// Returns the ranks that the recording process hosts, ascending. All ranks of the mesh if the
// recording does not list them, and for a dry run, which executes one rank for all. Empty without a
// mesh. Prefer ranges: a mesh may have millions of ranks.
std::vector<RankRange> hostedRanges(const Journal& journal);
std::vector<int> hostedRanks(const Journal& journal);

// Returns true for a run without data (backend "dry").
bool isDry(const Journal& journal);

// Returns true if the recording was imported from another tool's dump. Fields that the dump lacks
// are 0 or empty, and the clocks of the ranks are not synchronised.
bool isImported(const Journal& journal);

// Returns true if the engine ran on processes or GPUs, connected by Gloo or NCCL. Their clocks
// start together. The clocks of a recorded job start with each process's recording, so that times
// of different ranks cannot be compared.
bool isOfProcesses(const Journal& journal);

// Returns true if the engine ran, which records each change of a tensor. The program of a recorded
// job can also change memory without a recorded event, as through numpy.
bool recordsAllWrites(const Journal& journal);

// Returns the hosted ranks whose process did not record this event, ascending; empty if all did. In
// a recording that is not merged, only collectives carry this information. The event must exist.
std::vector<int> absentRanks(const Journal& journal, EventId event);
// As absentRanks(), but returns only members of the groups of a collective, and takes time for
// these alone. Empty for other events.
std::vector<int> missingMembers(const Journal& journal, EventId event);

// The place to look for a rank's value of a tensor.
enum class RankLocation {
  Here,
  OtherProcess,  // the value is in the recording of another process
  NotInMesh,     // the rank is not in the tensor's mesh and has no part of it
};

// The ranks that matter for one tensor, and where their values are. Reads the journal in the
// constructor only.
class TensorRanks {
 public:
  // The tensor must exist.
  TensorRanks(const Journal& journal, TensorId tensor);

  // The tensor's mesh, else the recording's. nullopt unless the tensor has one placement per mesh
  // dimension; a mask tensor has none.
  const std::optional<DeviceMesh>& mesh() const { return mesh_; }
  // Returns the ranks of the recording, of the tensor's mesh, and with captured values; ascending.
  std::vector<int> all() const { return first(std::numeric_limits<int>::max()); }
  std::vector<int> first(int most) const;  // the `most` lowest of all()
  RankLocation of(int rank) const;

 private:
  std::optional<DeviceMesh> mesh_;
  int whole_ = 0;  // size of the recording's mesh
  std::vector<RankRange> hosted_;
  std::vector<int> captured_;  // ascending
};

// Returns the index in the global tensor of an element of a rank's local tensor, by its row-major
// number. Returns the index in the local tensor if its shape is not the one that the placements
// give. Requires an element of `local`.
Shape globalIndexOf(const Journal& journal, TensorId tensor, int rank, const Shape& local,
                    std::int64_t element);

// Returns the mesh dimensions that a collective's groups span: "tp"; "dp_tp" for several,
// flattened. A group without a recorded dimension, as torch's default group, has that of the mesh
// of one dimension over its members. Empty if unknown. Takes time for each spec of the recording.
std::string axisOf(const Journal& journal, const Event& collective);
// Returns the index of that dimension in recordedMesh(); -1 if unknown, or if there are several.
int meshDimOf(const Journal& journal, const Event& collective);

// axisOf() for many collectives: calls it once for those of the same group and detail. An answer
// does not change if the journal grows.
class Axes {
 public:
  explicit Axes(const Journal& journal) : journal_(journal) {}
  // The reference stays valid as long as this object.
  const std::string& of(const Event& collective);

 private:
  using Key = std::tuple<StringId, StringId, int>;  // detail, ranks, mesh dimension

  const Journal& journal_;
  std::map<Key, std::string> known_;
};

}  // namespace shardlens
