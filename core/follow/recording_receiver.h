#pragma once

#include "core/follow/frames.h"
#include "core/follow/recording_sender.h"
#include "core/trace/file/trace_writer.h"

namespace shardlens {

// One recording on the follower's side. Believes nothing: what cannot be is an error, and what else
// is wrong the reader of the copy finds.
class RecordingReceiver {
 public:
  static Result<RecordingReceiver> create(const std::filesystem::path& path);

  Result<void> take(const Frame& frame);
  Result<void> flush() { return writer_->flush(); }
  const ReceivedSoFar& had() const { return had_; }

 private:
  RecordingReceiver(std::filesystem::path path, std::unique_ptr<TraceWriter> writer)
      : path_(std::move(path)), writer_(std::move(writer)) {}
  Result<void> takeMeta(const std::string& body);
  Result<void> takeSpec(const std::string& body);
  Result<void> takeTensors(const std::string& body);
  Result<void> takeEvents(const std::string& body);
  Result<void> takeSpanEnd(const std::string& body);
  Result<void> takeValue(const std::string& body);
  Result<void> takeBookmarks(const std::string& body);

  std::filesystem::path path_;
  std::unique_ptr<TraceWriter> writer_;
  ReceivedSoFar had_;
  Bookmarks bookmarks_;  // as the server told them: the follower's own stay
};

}  // namespace shardlens
