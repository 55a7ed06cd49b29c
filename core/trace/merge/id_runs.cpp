#include "core/trace/merge/id_runs.h"

#include "core/model/hash.h"

#include <algorithm>
#include <iterator>

namespace shardlens {

std::size_t RunPatterns::Hash::operator()(const Pattern& pattern) const {
  Hasher hasher;
  for (const IdRun& run : pattern) {
    hasher.mix(std::uint64_t{run.from} << 32U | run.to);
    hasher.mix(run.length);
  }
  return hasher.value();
}

void IdRuns::add(std::uint32_t from, std::uint32_t to) {
  last_ = from;
  if (!open_.empty()) {
    IdRun& run = open_.back();
    if (from - run.from == run.length && to - run.to == run.length) {
      ++run.length;
      return;
    }
  }
  if (open_.size() == kMost) endPage();
  open_.push_back({from, to, 1});
}

void IdRuns::add(const RunPatterns::Pattern& pattern, std::uint32_t from, std::uint32_t to) {
  if (open_.empty()) {
    pages_.push_back({from, to, &pattern});
    last_ = from + pattern.back().from + pattern.back().length - 1;
    return;
  }
  for (const IdRun& run : pattern) {
    for (std::uint32_t i = 0; i < run.length; ++i) add(from + run.from + i, to + run.to + i);
  }
}

void IdRuns::endPage() {
  const auto [from, to, length] = open_.front();
  for (IdRun& run : open_) {
    run.from -= from;
    run.to -= to;
  }
  pages_.push_back({from, to, &patterns_->intern(open_)});
  open_.clear();
}

template <std::uint32_t IdRun::*Key>
IdRun IdRuns::find(std::uint32_t key, std::uint32_t Page::*first) const {
  const auto lastOf = [](const std::vector<IdRun>& runs, std::uint32_t most) {
    return *std::prev(std::ranges::upper_bound(runs, most, {}, Key));
  };
  if (!open_.empty() && open_.back().*Key <= key) return open_.back();
  if (!open_.empty() && open_.front().*Key <= key) return lastOf(open_, key);
  const auto after = std::ranges::upper_bound(pages_, key, {}, first);
  if (after == pages_.begin()) return {};
  const Page& page = *std::prev(after);
  IdRun run = lastOf(*page.runs, key - page.*first);
  run.from += page.from;
  run.to += page.to;
  return run;
}

template IdRun IdRuns::find<&IdRun::from>(std::uint32_t, std::uint32_t Page::*) const;
template IdRun IdRuns::find<&IdRun::to>(std::uint32_t, std::uint32_t Page::*) const;

}  // namespace shardlens
