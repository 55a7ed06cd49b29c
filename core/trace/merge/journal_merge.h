#pragma once

#include "core/model/hash.h"
#include "core/model/rank_ranges.h"
#include "core/trace/events/event_references.h"
#include "core/trace/merge/merged_parts.h"
#include "core/trace/merge/step_index.h"

#include <limits>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardlens {

// Merges the journals of a run's processes into one (FORMAT.md, "Several processes"). All processes
// execute the same steps in the same order, so matching events become one merged event. Where
// processes diverge (one was lost, or failed alone), an event of only some processes is merged
// alone and lists its ranks. Merging continues as the journals grow; merged events change only in
// their duration and exposed time, and the times of their parts as the clocks of more machines are
// compared. Not thread safe.
class JournalMerge {
 public:
  // `processes`: the journals of one run, ordered by rank. They must outlive this object.
  explicit JournalMerge(const std::vector<const Journal*>& processes);

  // Merges at most `most` events that all processes have reached, or that the remaining processes
  // cannot have. Updates durations, metadata and bookmarks. Returns true if events, durations or
  // bookmarks changed.
  bool advance(EventId most) { return take(/*whole=*/false, most); }
  // As advance(), but also merges events that remaining processes may still record.
  bool finish(EventId most) { return take(/*whole=*/true, most); }

  // Returns true if some process has events that are not merged.
  bool hasRest() const;

  // Merges the bookmarks. If several processes mark one event, the note of the first one counts.
  // Returns true if they changed.
  bool takeBookmarks();

  // The event of one process that is part of a merged event.
  struct Part {
    std::size_t process;
    EventId id;
  };
  // Returns the parts of a merged event, ordered by process.
  std::vector<Part> partsOf(EventId id) const;

  const Journal& journal() const { return journal_; }

 private:
  struct Process {
    const Journal* journal = nullptr;
    EventId next = 1;  // the first event that is not merged
    Event head;        // the event `next`, if it is recorded
    StepIndex ahead;   // of events from some event before or at `next` on
    Alignment* events = nullptr;
    std::vector<StringId> strings{0};  // the merged ids, by id; 0: not interned yet
    std::vector<SpecId> specs{0};
    std::vector<RouteId> routes{0};

    bool hasNext() const { return next <= journal->size(); }
    void readHead() {
      if (hasNext()) head = journal->at(next);
    }
  };
  using Parts = std::vector<Part>;  // ascending by process
  using Field = std::uint32_t Event::*;
  enum class Answer { Yes, No, NotYet };

  void mergeHosted();
  void mergeMeta();
  bool take(bool whole, EventId most);
  Parts nextParts(bool whole);  // empty if undecided or done
  bool areAllAlike();
  std::vector<Parts> heads();
  Answer isAwaited(const Parts& parts, bool whole);
  Answer hasMatchAhead(std::size_t process, std::size_t other, bool whole);
  bool mayRecord(std::size_t process, std::size_t other);
  MatchKey keyOf(std::size_t process, const Event& event);
  bool isAhead(std::size_t process, std::size_t other, const MatchKey& key, EventId from);
  void lookFurther(std::size_t other);
  bool alike(std::size_t process, const Event& event, std::size_t other, const Event& its);
  bool isSameCall(std::size_t process, const Event& event, std::size_t other, const Event& its);

  void merge(const Parts& parts);
  Event eventOf(const Parts& parts);
  std::uint32_t mergedReference(const Parts& parts, Field field, Reference reference);
  bool endSpans();
  void addToClocks(const Parts& parts);
  const Event& at(const Part& part) const { return processes_[part.process].head; }
  EventId mergedOf(const Part& part, EventId own) const {
    return processes_[part.process].events->mergedOf(own);
  }
  std::int64_t timeOf(const Part& part) const;
  StringId ranksOf(const Parts& parts);
  StringId detailOf(const Parts& parts);
  StringId deviceOf(const Parts& parts);
  const std::vector<std::uint32_t>& named(const Parts& parts, Field field);
  TensorId tensorOf(const std::vector<TensorId>& named);  // ids by process
  std::vector<TensorId> inputsOf(const Parts& parts);
  StringId textOf(std::size_t process, StringId id);
  SpecId specOf(std::size_t process, SpecId id);
  RouteId routeOf(std::size_t process, RouteId id);
  SpecId specOf(const std::vector<std::size_t>& processes, const std::vector<TensorId>& named);
  SpecId unitedSpec(const std::vector<SpecId>& specs);
  SpecId intern(const Spec& spec);
  StringId intern(std::string_view text);

  std::vector<Process> processes_;
  Journal journal_;
  MergedParts* parts_;                                      // owned by journal_
  std::unordered_map<std::string_view, StringId> strings_;  // the texts are owned by journal_
  std::unordered_map<Spec, SpecId, SpecHash> specs_;
  std::unordered_map<Route, RouteId, RouteHash> routes_;
  std::map<std::vector<StringId>, StringId> unions_;  // texts of ranks, and their union
  std::map<std::vector<SpecId>, SpecId> united_;      // specs, and the spec on all of their meshes
  // Of collectives, by the text of their ranks.
  std::unordered_map<StringId, std::vector<RankRange>> members_;
  std::pair<std::vector<StringId>, StringId> lastUnion_{};  // the last lookup in unions_
  MergedIds buffers_;
  std::vector<std::pair<EventId, Parts>> running_;
  std::vector<std::uint32_t> named_;
};

}  // namespace shardlens
