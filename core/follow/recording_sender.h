#pragma once

#include "core/trace/merge/trace_run.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace shardlens {

// The amount of a recording that the follower has: the highest id of each kind, and the number of
// values.
struct ReceivedSoFar {
  StringId strings = 0;
  SpecId specs = 0;
  RouteId routes = 0;
  TensorId tensors = 0;
  EventId events = 0;
  std::size_t values = 0;
  std::vector<EventId> running;  // received spans whose end was not received, ascending
};

// Convert to and from an entry of `files` in a Hello.
nlohmann::json receivedJson(const ReceivedSoFar& had);
ReceivedSoFar receivedFrom(const nlohmann::json& json);  // malformed JSON: nothing received

// Sends one recording from the server to a follower, as frames in the order in which a recorder
// emits to its sinks.
class RecordingSender {
 public:
  // Sends a frame; returns false if the connection is lost.
  using Send = std::function<bool(std::string_view)>;

  // Opens the recording to continue after `had`. Returns an error if the recording has less than
  // the follower, because it was then replaced.
  static Result<RecordingSender> open(const std::filesystem::path& path, ReceivedSoFar had);

  enum class Sent { Nothing, Data, Disconnected };  // Disconnected: `send` returned false
  // Loads new data, some milliseconds' worth, and sends it frame by frame. Sends FileEnd once no
  // more data can come; after that returns Nothing.
  Result<Sent> sendNew(const Send& send);
  const Journal& journal() const { return recording_->journal(); }
  // True once FileEnd was created.
  bool hasEnded() const { return ended_; }

 private:
  RecordingSender(std::unique_ptr<Recording> recording, ReceivedSoFar had)
      : recording_(std::move(recording)), had_(std::move(had)) {}
  class Connection;
  void sendAll(Connection& connection);
  void sendMeta(Connection& connection);
  void sendTensors(Connection& connection);
  void sendEvents(Connection& connection);
  void sendValues(Connection& connection);
  void sendBookmarks(Connection& connection);

  std::unique_ptr<Recording> recording_;
  ReceivedSoFar had_;
  std::map<std::string, std::string, std::less<>> sentMeta_;  // the metadata that was sent
  Bookmarks sentBookmarks_;
  bool ended_ = false;
};

}  // namespace shardlens
