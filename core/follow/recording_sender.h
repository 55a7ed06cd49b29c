#pragma once

#include "core/trace/merge/trace_run.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace shardlens {

// How much of a recording the follower has.
struct ReceivedSoFar {
  StringId strings = 0;
  SpecId specs = 0;
  TensorId tensors = 0;
  EventId events = 0;
  std::size_t values = 0;
  std::vector<EventId> running;  // spans that it has not heard the end of
};

nlohmann::json receivedJson(const ReceivedSoFar& had);
ReceivedSoFar receivedFrom(const nlohmann::json& json);  // nothing where it is none

// One recording on the server's side: what of it is new, as frames, in the order in which a
// recorder gives it to its sinks.
class RecordingSender {
 public:
  using Send = std::function<bool(std::string_view)>;

  static Result<RecordingSender> open(const std::filesystem::path& path, ReceivedSoFar had);

  enum class News { None, Some, Gone };  // Gone: send said so
  Result<News> tell(const Send& send);
  const Journal& journal() const { return recording_->journal(); }
  bool hasEnded() const { return ended_; }

 private:
  RecordingSender(std::unique_ptr<Recording> recording, ReceivedSoFar had)
      : recording_(std::move(recording)), had_(std::move(had)) {}
  std::vector<std::string> frames();
  void addMeta(std::vector<std::string>& frames);
  void addTensors(std::vector<std::string>& frames);
  void addEvents(std::vector<std::string>& frames);
  void addBookmarks(std::vector<std::string>& frames);

  std::unique_ptr<Recording> recording_;
  ReceivedSoFar had_;
  std::map<std::string, std::string, std::less<>> told_;  // of its meta
  Bookmarks toldBookmarks_;
  bool ended_ = false;
};

}  // namespace shardlens
