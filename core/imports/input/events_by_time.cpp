#include "core/imports/input/events_by_time.h"

#include "core/imports/input/bad_dump.h"

#include <algorithm>
#include <queue>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace shardlens {

// A sorted part of the file, read block by block. Must not be empty at construction.
class EventsByTime::Run {
 public:
  Run(std::FILE* file, std::uint64_t begin, std::uint64_t size, std::size_t block)
      : file_(file), next_(begin), end_(begin + size), block_(block) {
    read();
  }
  const Stored& front() const { return read_[at_]; }
  // Moves to the next event. Returns false at the end.
  bool advance() {
    if (++at_ == read_.size()) read();
    return !read_.empty();
  }

 private:
  void read() {
    read_.resize(std::min<std::uint64_t>(block_, end_ - next_));
    at_ = 0;
    if (read_.empty()) return;
    const auto place = static_cast<off_t>(next_ * sizeof(Stored));
    if (fseeko(file_, place, SEEK_SET) != 0 ||
        std::fread(read_.data(), sizeof(Stored), read_.size(), file_) != read_.size()) {
      throw BadDump("the events that were put aside cannot be read again");
    }
    next_ += read_.size();
  }

  std::FILE* file_;
  std::uint64_t next_, end_;
  std::size_t block_;
  std::vector<Stored> read_;
  std::size_t at_ = 0;
};

EventsByTime::EventsByTime(std::filesystem::path folder, std::size_t mostInMemory)
    : folder_(std::move(folder)), most_(mostInMemory) {
  static_assert(std::is_trivially_copyable_v<Stored>);
}

EventsByTime::~EventsByTime() = default;

bool EventsByTime::isBefore(const Stored& a, const Stored& b) {
  const auto& one = a.it.event;
  const auto& other = b.it.event;
  // Sorts by descending duration; kRunning (-1) becomes 0, the longest.
  const auto longest = [](const Event& event) {
    return ~static_cast<std::uint64_t>(event.duration);
  };
  return std::tuple(one.time, longest(one), a.it.order) <
         std::tuple(other.time, longest(other), b.it.order);
}

void EventsByTime::add(const LaneEvent& event) {
  waiting_.push_back({event});
  if (waiting_.size() == most_) spill();
}

void EventsByTime::spill() {
  std::sort(waiting_.begin(), waiting_.end(), isBefore);
  if (!file_) {
    const auto path = folder_ / ".shardlens-import";
    file_.reset(std::fopen(path.c_str(), "w+bx"));
    if (file_) std::filesystem::remove(path);
  }
  if (!file_ || std::fwrite(waiting_.data(), sizeof(Stored), waiting_.size(), file_.get()) !=
                    waiting_.size()) {
    throw BadDump("events cannot be put aside in " + folder_.string());
  }
  runs_.push_back(waiting_.size());
  waiting_.clear();
}

void EventsByTime::inOrder(const std::function<void(const LaneEvent&)>& take) {
  if (runs_.empty()) {
    std::sort(waiting_.begin(), waiting_.end(), isBefore);
    for (const auto& stored : waiting_) take(stored.it);
    return;
  }
  if (!waiting_.empty()) spill();
  if (std::fflush(file_.get()) != 0)
    throw BadDump("events cannot be put aside in " + folder_.string());
  waiting_ = {};
  std::vector<Run> runs;
  std::uint64_t begin = 0;
  const std::size_t block = std::max<std::size_t>(most_ / runs_.size(), 64);
  for (const std::uint64_t size : runs_) {
    runs.emplace_back(file_.get(), begin, size, block);
    begin += size;
  }
  const auto isLater = [](const Run* a, const Run* b) { return isBefore(b->front(), a->front()); };
  std::priority_queue<Run*, std::vector<Run*>, decltype(isLater)> next(isLater);
  for (auto& run : runs) next.push(&run);
  while (!next.empty()) {
    Run* const run = next.top();
    next.pop();
    take(run->front().it);
    if (run->advance()) next.push(run);
  }
}

}  // namespace shardlens
