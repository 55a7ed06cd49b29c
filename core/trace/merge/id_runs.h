#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

namespace shardlens {

// Consecutive ids that map to consecutive ids. Length 0: no run.
struct IdRun {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t length = 0;
  bool operator==(const IdRun&) const = default;
};

// Stores each pattern of runs once. Steps of a training loop, and ranks of a role, have the same
// pattern. Patterns stay until this object ends.
class RunPatterns {
 public:
  // `from` and `to` of the runs are relative to those of the first one, modulo 2^32.
  using Pattern = std::vector<IdRun>;

  // Returns the stored pattern that equals `pattern`. The reference is valid as long as this
  // object.
  const Pattern& intern(const Pattern& pattern) { return *patterns_.insert(pattern).first; }
  std::size_t size() const { return patterns_.size(); }

 private:
  struct Hash {
    std::size_t operator()(const Pattern& pattern) const;
  };

  std::unordered_set<Pattern, Hash> patterns_;
};

// The runs of a map from ascending ids to ids, in pages that refer to shared patterns. A step costs
// 16 bytes if its pattern is known. Lookups take logarithmic time.
class IdRuns {
 public:
  IdRuns() : IdRuns(std::make_shared<RunPatterns>()) {}
  explicit IdRuns(std::shared_ptr<RunPatterns> patterns) : patterns_(std::move(patterns)) {}

  // Maps `from`, which must be greater than last().
  void add(std::uint32_t from, std::uint32_t to);
  // Maps all ids of a pattern that intern() returned, of which the first run begins with `from` and
  // `to`. Takes constant time after beginStep(), unless the page is not ended.
  void add(const RunPatterns::Pattern& pattern, std::uint32_t from, std::uint32_t to);
  const RunPatterns::Pattern& intern(const RunPatterns::Pattern& pattern) const {
    return patterns_->intern(pattern);
  }
  // Ends the page, unless it has few runs. Pages that begin at equal places of a loop share their
  // patterns; so call it at the beginning of each step.
  void beginStep() {
    if (open_.size() >= kLeast) endPage();
  }

  bool empty() const { return open_.empty() && pages_.empty(); }
  std::uint32_t last() const { return last_; }  // the id that was mapped last; 0: none
  // Returns the last run that begins at or before the id `from`.
  IdRun atFrom(std::uint32_t from) const { return find<&IdRun::from>(from, &Page::from); }
  // Returns the last run whose `to` is at or before this id. Requires that `to` of the runs ascend.
  IdRun atTo(std::uint32_t to) const { return find<&IdRun::to>(to, &Page::to); }

 private:
  // Bounds on the runs of a page. Below kLeast a page costs more than its runs.
  static constexpr std::size_t kLeast = 8, kMost = 1024;

  struct Page {
    std::uint32_t from, to;  // of the first run
    const RunPatterns::Pattern* runs;
  };

  void endPage();
  template <std::uint32_t IdRun::*Key>
  IdRun find(std::uint32_t key, std::uint32_t Page::*first) const;

  std::shared_ptr<RunPatterns> patterns_;
  std::vector<Page> pages_;
  std::vector<IdRun> open_;  // the runs after those of the pages
  std::uint32_t last_ = 0;
};

}  // namespace shardlens
