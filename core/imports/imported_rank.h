#pragma once

#include "core/model/hash.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/records/candidates_record.h"
#include "core/trace/records/site_record.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shardlens {

// A collective call as read from a dump. Default values mean unknown.
struct ImportedCollective {
  CollectiveKind kind = CollectiveKind::Other;
  std::string group = {};  // groupName() of its process group: "3 mesh_tp"
  // The group's description: "mesh_tp". Recorded as the axis; ignored if "undefined".
  std::string purpose = {};
  std::vector<int> members = {};  // global ranks of the group
  std::int64_t sequence = 0;      // number in the group, from 1; 0 is unknown
  std::int64_t bytes = 0;
};

// Writes the recording of one rank from a dump. Unlike Recorder, the caller sets each event's time,
// duration and parent. Unknown fields keep Event's defaults. Interns up to 64 MiB of text.
// Single-threaded. Call close() at the end.
class ImportedRank {
 public:
  // Creates the file, as TraceWriter::create() does, and records `rank` as the only hosted rank.
  // `format` is recorded as the meta value "imported", as "Kineto trace". Returns an error if the
  // file cannot be created.
  static Result<std::unique_ptr<ImportedRank>> create(const std::filesystem::path& path, int rank,
                                                      std::string_view format);

  // Records a key and value that describe the recording, such as "mesh".
  void meta(std::string_view key, std::string_view value) { writer_->onMeta(key, value); }
  // Returns the id of the text, or 0 for an empty text. Also returns 0 for new texts beyond the 64
  // MiB limit; hasLostTexts() is then true.
  StringId intern(std::string_view text);
  // Adds a new tensor and returns its id. Equal specs share one id.
  TensorId addTensor(std::string_view name, const Spec& spec);
  // Returns a Collective event for add(), without time, duration and parent. Does not add it.
  // Sequence numbers outside 1 to 2^32-1 are dropped.
  Event makeCollective(const ImportedCollective& call);
  // Returns a Redistribute event for add(). `change` is "S(0) -> R". An event whose placements
  // recordings do not know has it as its name only.
  Event makeRedistribute(std::string_view change, Verdict cause);
  // As above, for placements before and after in another notation, in which they are `change`.
  Event makeRedistribute(Route route, std::string_view change, Verdict cause);
  // Appends the event and returns its id, from 1. Events without ranks get this rank, except
  // collectives. Throws BadDump after 2^32-1 events.
  EventId add(Event event, std::span<const TensorId> inputs = {});
  // Adds a Candidates event below operator `op`. It contains `chosen` as the only candidate,
  // because dumps do not list the others.
  EventId addStrategy(EventId op, CandidateRecord chosen);

  EventId events() const { return events_; }  // number of events added
  bool hasLostTexts() const { return hasLostTexts_; }
  // Finishes the recording. Returns an error if any data could not be written. Do not add events
  // afterwards.
  Result<void> close() { return writer_->close(); }

 private:
  struct TextHash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the library's name
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  explicit ImportedRank(std::unique_ptr<TraceWriter> writer) : writer_(std::move(writer)) {}

  std::unique_ptr<TraceWriter> writer_;
  std::unordered_map<std::string, StringId, TextHash, std::equal_to<>> strings_;
  std::unordered_map<Spec, SpecId, SpecHash> specs_;
  std::unordered_map<Route, RouteId, RouteHash> routes_;
  std::size_t textBytes_ = 0;
  bool hasLostTexts_ = false;
  StringId ranks_ = 0;    // interned text of this rank's number
  TensorId tensors_ = 0;  // last id
  EventId events_ = 0;    // last id
};

}  // namespace shardlens
