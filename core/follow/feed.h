#pragma once

#include "core/trace/trace_run.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace shardlens {

// How much of a recording the follower has.
struct Had {
  StringId strings = 0;
  TensorId tensors = 0;
  EventId events = 0;
  std::size_t values = 0;
  std::vector<EventId> running;  // spans that it has not heard the end of
};

nlohmann::json hadJson(const Had& had);
Had hadFrom(const nlohmann::json& json);  // nothing where it is none

// One recording on the server's side: what of it is new, as frames, in the order in which a
// recorder would have told it.
class Feed {
 public:
  using Send = std::function<bool(std::string_view)>;

  static Result<Feed> open(const std::filesystem::path& path, Had had);

  enum class News { None, Some, Gone };  // Gone: send said so
  Result<News> tell(const Send& send);
  const Journal& journal() const { return recording_->journal(); }
  bool hasEnded() const { return ended_; }

 private:
  Feed(std::unique_ptr<Recording> recording, Had had)
      : recording_(std::move(recording)), had_(std::move(had)) {}
  std::vector<std::string> frames();
  void addMeta(std::vector<std::string>& frames);
  void addEvents(std::vector<std::string>& frames);

  std::unique_ptr<Recording> recording_;
  Had had_;
  std::map<std::string, std::string, std::less<>> told_;  // of its meta
  bool ended_ = false;
};

}  // namespace shardlens
