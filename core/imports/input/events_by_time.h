#pragma once

#include "core/base/result.h"
#include "core/model/event.h"

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace shardlens {

// Events with the thread, or the stream of a GPU, that they were on: what is on one lies in one
// another or after one another.
struct LaneEvent {
  Event event;
  std::uint32_t lane = 0;
  std::uint64_t order = 0;  // in which they began, where their times are the same
};

// Puts events in the order in which they began, an outer one before those in it, in memory of a
// bounded size: what is more waits in a file without a name. Throws BadDump where that cannot be
// written.
class EventsByTime {
 public:
  // `folder`: where the file goes.
  explicit EventsByTime(std::filesystem::path folder, std::size_t mostInMemory = kMostInMemory);
  ~EventsByTime();

  void add(const LaneEvent& event);
  // Once, when all have been added.
  void inOrder(const std::function<void(const LaneEvent&)>& take);

 private:
  static constexpr std::size_t kMostInMemory = std::size_t{1} << 18;
  struct Stored {
    LaneEvent it;
  };
  class Run;
  static bool isBefore(const Stored& a, const Stored& b);
  void spill();

  std::filesystem::path folder_;
  std::size_t most_;
  std::vector<Stored> waiting_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
  std::vector<std::uint64_t> runs_;  // how many events each has
};

}  // namespace shardlens
