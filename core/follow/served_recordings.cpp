#include "core/follow/served_recordings.h"

#include <sys/stat.h>

namespace shardlens {

Result<std::shared_ptr<ServedRecording>> ServedRecordings::open(const std::filesystem::path& path) {
  // If the file is missing, opening it returns the error.
  struct stat found {};
  ::stat(path.c_str(), &found);
  const auto entry = entryOf({found.st_dev, found.st_ino});
  const std::lock_guard lock(entry->opening);
  if (auto open = entry->recording.lock()) return open;
  auto opened = Recording::open(path);
  if (!opened) return tl::unexpected(opened.error());
  const auto shared = std::make_shared<ServedRecording>(std::move(*opened));
  entry->recording = shared;
  return shared;
}

// Also forgets closed recordings, whose inodes may be used by other files.
std::shared_ptr<ServedRecordings::Entry> ServedRecordings::entryOf(const FileId& id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [](const auto& each) {
    return each.second.use_count() == 1 && each.second->recording.expired();
  });
  auto& entry = entries_[id];
  if (entry == nullptr) entry = std::make_shared<Entry>();
  return entry;
}

std::size_t ServedRecordings::size() {
  const std::lock_guard lock(mutex_);
  std::size_t open = 0;
  for (const auto& [id, entry] : entries_) open += entry->recording.expired() ? 0 : 1;
  return open;
}

}  // namespace shardlens
