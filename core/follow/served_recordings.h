#pragma once

#include "core/base/result.h"
#include "core/trace/merge/trace_run.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace shardlens {

// A recording with a lock, for use by several threads.
class ServedRecording {
 public:
  explicit ServedRecording(std::unique_ptr<Recording> recording)
      : recording_(std::move(recording)) {}

  // Returns act(recording), under the lock.
  template <class Act>
  auto use(const Act& act) {
    const std::lock_guard lock(mutex_);
    return act(*recording_);
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<Recording> recording_;
};

// The open recordings of a server. All clients of a file share one ServedRecording, and so one
// journal. Thread safe.
class ServedRecordings {
 public:
  // Returns the recording if it is open, or opens it. Blocks while another thread opens the same
  // file. The recording is closed when the last owner releases it.
  Result<std::shared_ptr<ServedRecording>> open(const std::filesystem::path& path);
  // Returns the number of open recordings.
  std::size_t size();

 private:
  // Identifies a file, also after another one took its path: its device and inode.
  using FileId = std::pair<std::uint64_t, std::uint64_t>;
  struct Entry {
    std::mutex opening;
    std::weak_ptr<ServedRecording> recording;
  };
  std::shared_ptr<Entry> entryOf(const FileId& id);

  std::mutex mutex_;
  std::map<FileId, std::shared_ptr<Entry>> entries_;
};

}  // namespace shardlens
