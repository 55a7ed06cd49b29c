#pragma once

#include "core/follow/frames.h"
#include "core/follow/recording_sender.h"
#include "core/trace/file/trace_writer.h"

namespace shardlens {

// The copy of one recording at the follower. Malformed frames are errors. Inconsistent ids are not
// checked here but by the reader of the copy.
class RecordingReceiver {
 public:
  // Creates the copy, as TraceWriter::create() does.
  static Result<RecordingReceiver> create(const std::filesystem::path& path);

  // Appends the content of a frame. FileEnd closes the copy; a frame that does not belong to a
  // recording is an error.
  Result<void> take(const Frame& frame);
  Result<void> flush() { return writer_->flush(); }
  // What has been received, to resume after reconnecting.
  const ReceivedSoFar& had() const { return had_; }

 private:
  RecordingReceiver(std::filesystem::path path, std::unique_ptr<TraceWriter> writer)
      : path_(std::move(path)), writer_(std::move(writer)) {}
  Result<void> takeMeta(const std::string& body);
  Result<void> takeSpec(const std::string& body);
  Result<void> takeRoute(const std::string& body);
  Result<void> takeTensors(const std::string& body);
  Result<void> takeEvents(const std::string& body);
  Result<void> takeSpanEnd(const std::string& body);
  Result<void> takeValue(const std::string& body);
  Result<void> takeBookmarks(const std::string& body);

  std::filesystem::path path_;
  std::unique_ptr<TraceWriter> writer_;
  ReceivedSoFar had_;
  Bookmarks bookmarks_;  // the server's bookmarks; those added to the copy are kept
};

}  // namespace shardlens
