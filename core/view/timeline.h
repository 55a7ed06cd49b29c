#pragma once

#include "core/model/rank_ranges.h"
#include "core/trace/journal/journal.h"
#include "core/view/timeline_track.h"

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace shardlens::view {

// A recording over time: a lane for each of its ranks. Ranks of one process share its clock, and
// what it does for the same ranks is one track that their lanes share; of a merged recording each
// rank has a track of its own, with when its process came. Those of an imported one have clocks
// that nobody compared, so nothing is said there of who waits.
// It is made a slice of events at a time; where the recording grows, it goes on.
class Timeline {
 public:
  explicit Timeline(const Journal& journal);  // must outlive it
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  // Takes in at most so many events; whether there are more.
  bool take(EventId events);
  // To be called after taking, before anything is asked.
  void update();
  bool hasRunning() const;  // spans that had not ended
  EventId taken() const { return taken_; }

  const std::vector<RankRange>& ranks() const { return ranks_; }
  std::int64_t lanes() const { return rankCount(ranks_); }
  int rankOf(std::int64_t lane) const;
  std::vector<const TimelineTrack*> tracksOf(int rank) const;
  bool hasTimes() const { return end() > 0; }
  std::int64_t begin() const;
  std::int64_t workBegin() const;  // of what is more than a step
  std::int64_t end() const;

  std::vector<TimelineColumn> columns(int rank, const TimelineCut& cut) const;
  // The spans of all tracks of a rank, in the order of their events.
  std::vector<TimelineSpan> spans(int rank, std::int64_t from, std::int64_t to,
                                  std::int64_t least) const;
  std::optional<TimelineSpan> newestAt(int rank, std::int64_t time) const;
  std::optional<TimelineSpan> newestOf(int rank, EventId position) const;
  // Which of the groups of a collective a rank is in; the first where it does not say.
  int groupOf(EventId collective, int rank) const;

 private:
  struct Track {
    std::vector<RankRange> ranks;
    std::unique_ptr<TimelineTrack> spans;
  };
  // When the members of a group came.
  struct Arrival {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };

  std::size_t addTrack(std::vector<RankRange> ranks, int rank);
  std::size_t trackOf(StringId ranks);
  std::optional<TimelineSpan> read(std::size_t track, int rank, EventId id) const;
  std::optional<TimelineSpan> spanOf(EventId id, const Event& event, int rank) const;
  const std::unordered_map<int, int>& groupsOf(StringId ranks) const;
  Arrival arrivalOf(EventId id, const Event& event, int rank) const;
  template <class Newest>
  std::optional<TimelineSpan> newest(int rank, const Newest& ask) const;

  const Journal& journal_;
  bool comparesClocks_;
  std::vector<RankRange> ranks_;
  std::vector<Track> tracks_;
  std::unordered_map<StringId, std::size_t> trackOf_;  // of a recording that is not merged
  EventId taken_ = 0;
  mutable std::unordered_map<StringId, std::unordered_map<int, int>> groups_;
  mutable std::unordered_map<EventId, std::map<int, Arrival>>
      arrivals_;  // by group; the latest asked
};

}  // namespace shardlens::view
