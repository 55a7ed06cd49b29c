#pragma once

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

// A call of a collective, as far as a dump tells of it.
struct ImportedCollective {
  std::string_view name;          // "all_reduce"
  std::string group = {};         // its process group: "3 mesh_tp"
  std::string purpose = {};       // what that is for: "mesh_tp"
  std::vector<int> members = {};  // of the group
  std::int64_t sequence = 0;
  std::int64_t bytes = 0;
};

// The recording of one rank of a dump, in the making. Unlike a Recorder it is told when events were
// and what they were in. What a dump does not say stays as an Event begins: unknown. Texts beyond
// 64 MiB are not kept.
class ImportedRank {
 public:
  // `format`: what it is made from, as "Kineto trace".
  static Result<std::unique_ptr<ImportedRank>> create(const std::filesystem::path& path, int rank,
                                                      std::string_view format);

  void meta(std::string_view key, std::string_view value) { writer_->onMeta(key, value); }
  StringId intern(std::string_view text);
  TensorId addTensor(std::string_view name, const SpecRecord& spec);
  Event makeCollective(const ImportedCollective& call);
  EventId add(Event event, std::span<const TensorId> inputs = {});
  // With which placements an operator ran: a Candidates event of the one that is known.
  EventId addStrategy(EventId op, CandidateRecord chosen);

  EventId events() const { return events_; }
  bool hasLostTexts() const { return hasLostTexts_; }
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
  std::unordered_map<SpecRecord, SpecId, SpecRecordHash> specs_;
  std::size_t textBytes_ = 0;
  bool hasLostTexts_ = false;
  StringId ranks_ = 0;  // this one
  TensorId tensors_ = 0;
  EventId events_ = 0;
};

}  // namespace shardlens
