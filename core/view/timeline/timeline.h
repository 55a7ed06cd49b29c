#pragma once

#include "core/model/rank_ranges.h"
#include "core/trace/journal/journal.h"
#include "core/trace/merge/program_roles.h"
#include "core/view/timeline/span_cache.h"
#include "core/view/timeline/timeline_track.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardlens::view {

// The spans of a recording over time, one lane per hosted rank. In a merged recording, each rank
// has one track with its process's times. Otherwise ranks share one clock, and a track contains the
// events of one set of ranks; lanes share tracks.
//
// The lanes of a merged recording of more than kMostUnfolded ranks are ordered so that similar
// ranks are adjacent: those of one role whose times of each kind differ by less than 2 % of the
// run, that, if they have not ended, are in the same event, and that have not diverged.
//
// A waiting time that is not longer than the error of the clocks is not computed, so imported
// recordings have none. Built incrementally by take(); the journal may grow. Not thread-safe.
class Timeline {
 public:
  static constexpr std::int64_t kMostUnfolded = 16;  // ranks

  explicit Timeline(const Journal& journal);  // keeps a reference to the journal
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  // Reads up to `events` further events. Returns true if more are left.
  bool take(EventId events);
  // Rereads spans that had not ended and rebuilds the sums. Call it after take() and before any
  // query.
  void update();
  // Searches in slices for the divergences that update() would otherwise search at once. Returns
  // true when there are no more to search. As soon as `mayGoOn` returns false, returns false, after
  // some progress.
  bool search(const std::function<bool()>& mayGoOn);
  bool hasRunning() const;                  // some span read so far has not ended
  EventId taken() const { return taken_; }  // last event read

  // The hosted ranks. Lanes are numbered from 0, in the order of the ranks or of similar ranks.
  const std::vector<RankRange>& ranks() const { return ranks_; }
  std::int64_t lanes() const { return rankCount(ranks_); }
  // Returns the rank of a lane, or -1.
  int rankOf(std::int64_t lane) const;
  // Returns the lane of a rank, or -1.
  std::int64_t laneOf(int rank) const;
  // Returns the lanes as runs of adjacent lanes whose activity is identical, or similar in a merged
  // recording, by their lengths.
  std::vector<std::int64_t> alike() const;
  // Returns the non-empty tracks that contain the rank.
  std::vector<const TimelineTrack*> tracksOf(int rank) const;
  // Returns where the rank parts from most ranks of its role, or nullptr. Valid until
  // update(), which searches again when the recording has grown by an eighth.
  const Divergence* divergenceOf(int rank) const;
  bool hasTimes() const { return end() > 0; }
  // Returns the start of the first span; 0 without spans.
  std::int64_t begin() const;
  std::int64_t workBegin() const;  // start of the first span that is not a step, else begin()
  std::int64_t end() const;        // latest end; for running spans, their start

  // Returns the time per kind in each column of `grid`; zeros for a rank that is not hosted.
  std::vector<TimelineColumn> columns(int rank, const TimelineGrid& grid) const;
  // Reads the spans that columns() needs into a cache. Calls `mayRead` before each leaf of some 32
  // spans, and returns false as soon as that returns false.
  bool prepare(int rank, const TimelineGrid& grid, const std::function<bool()>& mayRead) const;
  // Returns the first `most` spans of a rank that intersect [from, to) and are at least `least`
  // long, in event order. Reads up to `most` spans of each track.
  std::vector<TimelineSpan> spans(int rank, std::int64_t from, std::int64_t to, std::int64_t least,
                                  std::size_t most = SIZE_MAX) const;
  // Returns the newest span (by event) that began at or before `time`; nullopt if there is none.
  std::optional<TimelineSpan> newestAt(int rank, std::int64_t time) const;
  // Returns the newest span up to event `position`; nullopt if there is none.
  std::optional<TimelineSpan> newestOf(int rank, EventId position) const;
  // Returns the index of the rank's group in the collective, or 0 if the recording does not list
  // it.
  int groupOf(EventId collective, int rank) const;

 private:
  // A track and the ranks that share it.
  struct Track {
    std::vector<RankRange> ranks;
    std::unique_ptr<TimelineTrack> spans;
  };
  // The first and the last of the members of a group that called a collective. `isWhole` is false
  // if a hosted member did not call it.
  struct Arrival {
    std::optional<EventPart> first, last;
    bool isWhole = true;
  };

  // What ranks of one run of lanes have in common.
  struct Likeness {
    std::size_t role, divergence;
    std::uint64_t last;  // the newest event of a rank with unfinished events; else 0
    TimelineColumn total;
    std::vector<std::size_t> tracks;
  };

  // Returns true if the recording is merged and has grown by an eighth since the last arrange().
  bool isToArrange() const;
  // Finds the divergences and orders the tracks by likeness.
  void arrange();
  Likeness likenessOf(std::size_t track) const;
  std::size_t addTrack(std::vector<RankRange> ranks, int rank);
  // Returns the position of a rank among the hosted ranks, or -1.
  std::int64_t placeOf(int rank) const;
  // Returns the positions of those that are hosted.
  std::vector<std::size_t> placesOf(const std::vector<RankRange>& ranks) const;
  // Returns the tracks of the ranks of a merged event; all for an event without ranks.
  const std::vector<std::size_t>& tracksOfRanks(StringId ranks);
  // Returns the track of the events of these ranks. Not for merged recordings.
  std::size_t trackOf(StringId ranks);
  // Rereads a span for a track; nullopt if the event is not on it.
  std::optional<TimelineSpan> read(std::size_t track, int rank, EventId id) const;
  // Returns the event's span on a rank; nullopt if the rank did not take part.
  std::optional<TimelineSpan> spanOf(EventId id, const Event& event, int rank) const;
  int meshDimOf(const Event& collective) const;
  const std::unordered_map<int, int>& groupsOf(StringId ranks) const;
  // nullopt if the collective does not name a group of the rank.
  std::optional<Arrival> arrivalOf(EventId id, const Event& event, int rank) const;
  void setWaiting(TimelineSpan& span, const EventPart& part, const Arrival& arrival) const;
  template <class Newest>
  std::optional<TimelineSpan> newest(int rank, const Newest& find) const;

  const Journal& journal_;
  SpanCache cache_;
  std::vector<RankRange> ranks_;
  std::vector<Track> tracks_;
  std::unordered_map<StringId, std::size_t> trackOf_;  // by Event::ranks; unmerged only
  std::unordered_map<StringId, std::vector<std::size_t>> tracksOfRanks_;  // merged only
  // Merged only: the tracks by lane, the reverse, and the lengths of runs of similar lanes.
  std::vector<std::size_t> order_, laneOf_;
  std::vector<std::int64_t> similar_;
  DivergenceSearch divergences_;
  EventId arranged_ = 0;  // number of events at the last arrange()
  EventId taken_ = 0;
  mutable std::map<std::pair<StringId, StringId>, int> meshDims_;  // by ranks and detail
  mutable std::unordered_map<StringId, std::unordered_map<int, int>> groups_;
  mutable std::unordered_map<EventId, std::map<int, Arrival>>
      arrivals_;  // cache by collective, then group
};

}  // namespace shardlens::view
