#pragma once

#include "core/base/result.h"
#include "core/model/event.h"

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace shardlens {

// An event and its lane: the thread or GPU stream it ran on. Events of one lane are nested or
// disjoint.
struct LaneEvent {
  Event event;
  std::uint32_t lane = 0;
  std::uint64_t order = 0;  // tie-break for equal time and duration, ascending
};

// An external sorter of events by start time. For equal start times, the longer event comes first,
// so parents precede children. At most `mostInMemory` events are in memory; the others are spilled
// to an unnamed temporary file. Throws BadDump if the file cannot be written or read.
class EventsByTime {
 public:
  // `folder` is where the temporary file is created, if one is needed.
  explicit EventsByTime(std::filesystem::path folder, std::size_t mostInMemory = kMostInMemory);
  ~EventsByTime();

  // Adds an event, in any order.
  void add(const LaneEvent& event);
  // Calls `take` for each event in order. Call it once, after the last add().
  void inOrder(const std::function<void(const LaneEvent&)>& take);

 private:
  static constexpr std::size_t kMostInMemory = std::size_t{1} << 18;
  struct Stored {
    LaneEvent it;
  };
  // A sorted part of the file.
  class Run;
  static bool isBefore(const Stored& a, const Stored& b);
  // Sorts the events in memory and writes them as one run.
  void spill();

  std::filesystem::path folder_;
  std::size_t most_;
  std::vector<Stored> waiting_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
  std::vector<std::uint64_t> runs_;  // number of events per run
};

}  // namespace shardlens
