// Part of Timeline: its lanes, tracks and ranks, and the order of the lanes.
#include "core/view/timeline/timeline.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

namespace shardlens::view {
namespace {

constexpr std::int64_t kDissimilar = 50;  // times of similar ranks differ by less than 1/50 of all

// Returns true if no time of the two differs by `most` or more.
bool areSimilar(const TimelineColumn& one, const TimelineColumn& other, std::int64_t most) {
  const auto differ = [&](std::int64_t a, std::int64_t b) { return std::abs(a - b) >= most; };
  for (std::size_t axis = 0; axis < one.collectives.size(); ++axis) {
    if (differ(one.collectives[axis], other.collectives[axis])) return false;
  }
  return !differ(one.steps, other.steps) && !differ(one.operators, other.operators) &&
         !differ(one.compute, other.compute) && !differ(one.waiting, other.waiting) &&
         !differ(one.exposed, other.exposed);
}

}  // namespace

const std::vector<std::size_t>& Timeline::tracksOfRanks(StringId ranks) {
  const auto [known, isNew] = tracksOfRanks_.try_emplace(ranks);
  std::vector<std::size_t>& tracks = known->second;
  if (!isNew) return tracks;
  tracks = placesOf(united(parseRankRanges(journal_.text(ranks))));
  if (tracks.empty()) {
    for (std::size_t track = 0; track < tracks_.size(); ++track) tracks.push_back(track);
  }
  return tracks;
}

Timeline::Likeness Timeline::likenessOf(std::size_t track) const {
  const TimelineTrack& spans = *tracks_[track].spans;
  Likeness likeness{0, 0, 0, spans.total(), {track}};
  if (!spans.hasRunning()) return likeness;
  if (const auto last = spans.newestOf(journal_.size())) {
    const Event event = journal_.at(last->event);
    likeness.last = Journal::nameKey(event) * 2 + (last->end == TimelineSpan::kForever ? 1 : 0);
  }
  return likeness;
}

bool Timeline::isToArrange() const {
  const bool isComplete = taken_ == journal_.size();
  const bool hasGrown = arranged_ == 0 || taken_ - arranged_ > arranged_ / 8;
  return journal_.isMerged() && isComplete && hasGrown;
}

bool Timeline::search(const std::function<bool()>& mayGoOn) {
  return !isToArrange() || divergences_.search(mayGoOn);
}

void Timeline::arrange() {
  arranged_ = taken_;
  divergences_.search();
  if (lanes() <= kMostUnfolded) return;
  std::vector<std::size_t> roles(tracks_.size()), diverged(tracks_.size());
  const auto number = [this](std::vector<std::size_t>& numbers, const auto& ranks, std::size_t of) {
    for (const std::size_t place : placesOf(ranks)) numbers[place] = of;
  };
  std::size_t count = 0;
  for (const ProgramRole& role : programRoles(journal_)) number(roles, role.ranks, ++count);
  count = 0;
  for (const Divergence& each : divergences_.found()) number(diverged, each.other.ranks, ++count);
  const std::int64_t most = (end() - begin()) / kDissimilar;
  std::vector<Likeness> all;
  for (std::size_t track = 0; track < tracks_.size(); ++track) {
    Likeness its = likenessOf(track);
    its.role = roles[track];
    its.divergence = diverged[track];
    const auto same = std::ranges::find_if(all, [&](const Likeness& other) {
      return other.role == its.role && other.divergence == its.divergence &&
             other.last == its.last && areSimilar(other.total, its.total, most);
    });
    if (same == all.end()) {
      all.push_back(std::move(its));
    } else {
      same->tracks.push_back(track);
    }
  }
  order_.clear();
  similar_.clear();
  for (const Likeness& each : all) {
    similar_.push_back(static_cast<std::int64_t>(each.tracks.size()));
    for (const std::size_t track : each.tracks) {
      laneOf_[track] = order_.size();
      order_.push_back(track);
    }
  }
}

const Divergence* Timeline::divergenceOf(int rank) const {
  const auto& all = divergences_.found();
  const auto found = std::ranges::find_if(
      all, [rank](const Divergence& each) { return contains(each.other.ranks, rank); });
  return found == all.end() ? nullptr : &*found;
}

std::int64_t Timeline::placeOf(int rank) const {
  std::int64_t before = 0;
  for (const RankRange& range : ranks_) {
    if (rank >= range.first && rank <= range.last) return before + rank - range.first;
    before += std::int64_t{range.last} - range.first + 1;
  }
  return -1;
}

std::vector<std::size_t> Timeline::placesOf(const std::vector<RankRange>& ranks) const {
  std::vector<std::size_t> places;
  for (const RankRange& range : ranks) {
    for (int rank = range.first; rank <= range.last; ++rank) {
      if (const auto place = placeOf(rank); place >= 0) {
        places.push_back(static_cast<std::size_t>(place));
      }
    }
  }
  return places;
}

std::int64_t Timeline::laneOf(int rank) const {
  const std::int64_t place = placeOf(rank);
  return place < 0 || laneOf_.empty()
             ? place
             : static_cast<std::int64_t>(laneOf_[static_cast<std::size_t>(place)]);
}

int Timeline::rankOf(std::int64_t lane) const {
  if (!order_.empty()) {
    const auto at = static_cast<std::size_t>(lane);
    return lane >= 0 && at < order_.size() ? tracks_[order_[at]].ranks.front().first : -1;
  }
  for (const RankRange& range : ranks_) {
    const std::int64_t count = std::int64_t{range.last} - range.first + 1;
    if (lane < count) return range.first + static_cast<int>(lane);
    lane -= count;
  }
  return -1;
}

std::vector<const TimelineTrack*> Timeline::tracksOf(int rank) const {
  std::vector<const TimelineTrack*> found;
  if (journal_.isMerged()) {
    const std::int64_t place = placeOf(rank);
    if (place < 0) return found;
    const auto& spans = tracks_[static_cast<std::size_t>(place)].spans;
    if (!spans->isEmpty()) found.push_back(spans.get());
    return found;
  }
  for (const Track& track : tracks_) {
    if (contains(track.ranks, rank) && !track.spans->isEmpty()) found.push_back(track.spans.get());
  }
  return found;
}

// Membership in a track changes only where one of its ranges begins or ends.
std::vector<std::int64_t> Timeline::alike() const {
  if (journal_.isMerged()) return similar_;
  std::set<int> edges;
  for (const Track& track : tracks_) {
    for (const RankRange& range : track.ranks) edges.insert({range.first, range.last + 1});
  }
  std::vector<std::int64_t> runs;
  std::vector<const TimelineTrack*> before;
  for (const RankRange& range : ranks_) {
    for (int first = range.first; first <= range.last;) {
      const auto edge = edges.upper_bound(first);
      const int next = edge == edges.end() ? range.last + 1 : std::min(*edge, range.last + 1);
      auto tracks = tracksOf(first);
      if (runs.empty() || tracks != before) runs.push_back(0);
      runs.back() += next - first;
      before = std::move(tracks);
      first = next;
    }
  }
  return runs;
}

}  // namespace shardlens::view
