#pragma once

#include "core/follow/served_recordings.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <map>
#include <memory>
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

  // Continues after `had`. Returns an error if the recording has less than the follower, because it
  // was then replaced.
  static Result<RecordingSender> make(std::shared_ptr<ServedRecording> recording,
                                      ReceivedSoFar had);

  enum class Sent { Nothing, Data, Disconnected };  // Disconnected: `send` returned false
  // Loads new data, some milliseconds' worth, and sends all that this follower lacks, a few frames
  // at a time. Does not lock the recording while it sends. Sends FileEnd once no more data can
  // come; after that returns Nothing.
  Result<Sent> sendNew(const Send& send);
  // Returns read(journal), under the lock of the recording.
  template <class Read>
  auto use(const Read& read) const {
    return recording_->use([&](const Recording& recording) { return read(recording.journal()); });
  }
  // True once FileEnd was created.
  bool hasEnded() const { return ended_; }

 private:
  RecordingSender(std::shared_ptr<ServedRecording> recording, ReceivedSoFar had)
      : recording_(std::move(recording)), had_(std::move(had)) {}
  // Each returns or appends frames that the follower lacks. appendNext() returns false if it lacks
  // none.
  std::string nextFrames(Recording& recording);
  void appendMeta(const Journal& journal, std::string& frames);
  void appendSpanEnds(const Journal& journal, std::string& frames);
  bool appendNext(Recording& recording, std::string& frames);
  void appendTensors(const Journal& journal, std::string& frames);
  void appendEvents(const Journal& journal, std::string& frames);
  void appendValue(const Journal& journal, std::string& frames);
  void appendBookmarks(const Bookmarks& bookmarks, std::string& frames);

  std::shared_ptr<ServedRecording> recording_;
  ReceivedSoFar had_;
  std::map<std::string, std::string, std::less<>> sentMeta_;  // the metadata that was sent
  Bookmarks sentBookmarks_;
  bool ended_ = false;
};

}  // namespace shardlens
