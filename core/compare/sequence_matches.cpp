#include "core/compare/sequence_matches.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace shardlens {
namespace {

using Items = std::span<const std::uint64_t>;
using Index = std::ptrdiff_t;

Index sizeOf(Items items) { return static_cast<Index>(items.size()); }

// One search of Myers' algorithm from the start of the remaining sequences, with at most
// `mostEdits` edits.
class Search {
 public:
  static constexpr Index kMostEdits = 1000;
  static constexpr Index kLeastEdits = 32;

  template <class Reached>
  auto& at(Reached& reached, Index diagonal) const {
    return reached[static_cast<std::size_t>(diagonal + most_ + 1)];
  }

  Search(Items left, Items right, Index mostEdits) : left_(left), right_(right), most_(mostEdits) {}

  // Returns the end point: the ends of both sequences, or the furthest point within the edit limit.
  SequenceMatch run() {
    const auto width = static_cast<std::size_t>(2 * most_ + 3);
    std::vector<Index> reached(width, 0);  // the furthest index in `left`, by diagonal
    for (Index edits = 0; edits <= most_; ++edits) {
      for (Index diagonal = -edits; diagonal <= edits; diagonal += 2) {
        const bool isDown =
            diagonal == -edits ||
            (diagonal != edits && at(reached, diagonal - 1) < at(reached, diagonal + 1));
        Index x = isDown ? at(reached, diagonal + 1) : at(reached, diagonal - 1) + 1;
        x = slide(x, x - diagonal);
        at(reached, diagonal) = x;
        if (x >= sizeOf(left_) && x - diagonal >= sizeOf(right_)) {
          trail_.push_back(reached);
          isWhole_ = true;
          return end(edits, diagonal);
        }
      }
      trail_.push_back(reached);
    }
    return end(most_, furthest(reached));
  }

  // Returns true if the search reached both ends, or found at least as many matches as its edit
  // limit.
  bool isGood() const { return isWhole_ || std::ssize(matches_) >= most_; }
  // The matches up to the end point, last first.
  const std::vector<SequenceMatch>& matches() const { return matches_; }

 private:
  Index slide(Index x, Index y) const {
    while (x < sizeOf(left_) && y < sizeOf(right_) && y >= 0 &&
           left_[static_cast<std::size_t>(x)] == right_[static_cast<std::size_t>(y)]) {
      ++x, ++y;
    }
    return x;
  }

  Index furthest(const std::vector<Index>& reached) const {
    Index best = 0;
    Index most = -1;
    for (Index diagonal = -most_; diagonal <= most_; diagonal += 2) {
      const Index x = at(reached, diagonal);
      const Index y = x - diagonal;
      if (x > sizeOf(left_) || y > sizeOf(right_) || x + y <= most) continue;
      most = x + y;
      best = diagonal;
    }
    return best;
  }

  SequenceMatch end(Index edits, Index diagonal) {
    Index x = at(trail_.back(), diagonal);
    const SequenceMatch reached{static_cast<std::size_t>(x),
                                static_cast<std::size_t>(x - diagonal)};
    for (; edits >= 0; --edits) {
      Index from = 0;  // index in `left` after the edit that led to this diagonal
      Index before = diagonal;
      if (edits > 0) {
        const auto& earlier = trail_[static_cast<std::size_t>(edits - 1)];
        const bool isDown =
            diagonal == -edits ||
            (diagonal != edits && at(earlier, diagonal - 1) < at(earlier, diagonal + 1));
        before = isDown ? diagonal + 1 : diagonal - 1;
        from = isDown ? at(earlier, before) : at(earlier, before) + 1;
      }
      for (; x > from; --x) {
        matches_.push_back(
            {static_cast<std::size_t>(x - 1), static_cast<std::size_t>(x - 1 - diagonal)});
      }
      if (edits > 0) x = at(trail_[static_cast<std::size_t>(edits - 1)], before);
      diagonal = before;
    }
    return reached;
  }

  Items left_;
  Items right_;
  Index most_;                             // edit limit; even
  std::vector<std::vector<Index>> trail_;  // `reached` after each number of edits
  std::vector<SequenceMatch> matches_;
  bool isWhole_ = false;
};

// Finds the nearest later point at which both sequences have kInARow equal items.
class Resumption {
 public:
  Resumption(Items left, Items right) : left_(left), right_(right) {}

  // Returns that point after `begin`, or the ends of both sequences.
  SequenceMatch after(SequenceMatch begin) {
    if (places_.empty()) index();
    const SequenceMatch none{left_.size(), right_.size()};
    SequenceMatch nearest = none;
    const auto distance = [&](const SequenceMatch& place) {
      return place.left - begin.left + place.right - begin.right;
    };
    for (std::size_t at = begin.left; at + kInARow <= left_.size(); ++at) {
      if (at - begin.left >= distance(nearest)) break;
      const auto found = places_.find(hashAt(left_, at));
      if (found == places_.end()) continue;
      const auto place = std::lower_bound(found->second.begin(), found->second.end(), begin.right);
      if (place == found->second.end() || left_[at] != right_[*place]) continue;
      if (distance({at, *place}) < distance(nearest)) nearest = {at, *place};
    }
    return nearest;
  }

 private:
  static constexpr std::size_t kInARow = 4;

  static std::uint64_t hashAt(Items items, std::size_t at) {
    std::uint64_t hash = 0;
    for (const auto item : items.subspan(at, kInARow)) hash = hash * 0x9e3779b97f4a7c15ULL + item;
    return hash;
  }
  void index() {
    for (std::size_t at = 0; at + kInARow <= right_.size(); ++at) {
      places_[hashAt(right_, at)].push_back(at);
    }
  }

  Items left_;
  Items right_;
  // Indices in `right`, by the hash of the next kInARow items.
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> places_;
};

}  // namespace

std::vector<SequenceMatch> matchSequences(Items left, Items right) {
  std::vector<SequenceMatch> matches;
  SequenceMatch begin;
  Resumption resumption(left, right);
  Index mostEdits = Search::kMostEdits;
  const auto isDone = [&] { return begin.left == left.size() || begin.right == right.size(); };
  while (!isDone()) {
    if (left[begin.left] == right[begin.right]) {
      matches.push_back(begin);
      ++begin.left, ++begin.right;
      continue;
    }
    const Items ours = left.subspan(begin.left);
    const Items theirs = right.subspan(begin.right);
    Search search(ours, theirs, mostEdits);
    const SequenceMatch reached = search.run();
    if (!search.isGood()) {
      // Little in common: shorten the next search.
      mostEdits = std::max<Index>(mostEdits / 4 * 2, Search::kLeastEdits);
      begin = resumption.after(begin);
      continue;
    }
    mostEdits = std::min(mostEdits * 2, Search::kMostEdits);
    for (auto match = search.matches().rbegin(); match != search.matches().rend(); ++match) {
      matches.push_back({begin.left + match->left, begin.right + match->right});
    }
    begin.left += reached.left;
    begin.right += reached.right;
  }
  return matches;
}

std::vector<SequenceMatch> matchSequences(const KeyedSequence& left, const KeyedSequence& right) {
  std::vector<SequenceMatch> matches;
  SequenceMatch begin;  // start of the unmatched items
  const auto matchUpTo = [&](const SequenceMatch& end) {
    const Items ours = Items(left.second).subspan(begin.left, end.left - begin.left);
    const Items theirs = Items(right.second).subspan(begin.right, end.right - begin.right);
    for (const SequenceMatch& match : matchSequences(ours, theirs)) {
      matches.push_back({begin.left + match.left, begin.right + match.right});
    }
  };
  for (const SequenceMatch& match : matchSequences(Items(left.first), Items(right.first))) {
    matchUpTo(match);
    matches.push_back(match);
    begin = {match.left + 1, match.right + 1};
  }
  matchUpTo({left.first.size(), right.first.size()});
  return matches;
}

}  // namespace shardlens
