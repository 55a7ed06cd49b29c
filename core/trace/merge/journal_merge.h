#pragma once

#include "core/model/hash.h"
#include "core/model/rank_ranges.h"
#include "core/trace/events/event_references.h"
#include "core/trace/merge/event_join.h"
#include "core/trace/merge/event_key.h"
#include "core/trace/merge/joined_step.h"
#include "core/trace/merge/merged_parts.h"

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardlens {

// Merges the journals of a run's processes into one (FORMAT.md, "Several processes"). Matching
// events become one merged event; see EventJoin. An event that only some processes have lists their
// ranks. Merging continues as the journals grow; merged events change only in
// their duration and exposed time, and the times of their parts as the clocks of more machines are
// compared. Not thread safe.
class JournalMerge : private JoinSource {
 public:
  // `processes`: the journals of one run, ordered by rank. They must outlive this object. `ofRun`:
  // how many journals share the memory for decompressed blocks, if these are some of a run only.
  explicit JournalMerge(const std::vector<const Journal*>& processes, std::size_t ofRun = 0);

  // Merges at most `most` events that all processes have reached, or that the remaining processes
  // cannot have; more if the last of them are in a step that repeats another one. Updates
  // durations, metadata and bookmarks. Returns true if events, durations or bookmarks changed.
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

  // The number of steps that repeated an earlier one, so that their events were not joined one by
  // one. The journal does not depend on it.
  std::size_t repeatedSteps() const { return repeatedSteps_; }
  // Joins the events of all steps one by one from now on.
  void joinEachEvent() { mayRepeat_ = false; }

 private:
  struct Process {
    const Journal* journal = nullptr;
    Event head;  // the event that is merged now
    Alignment* events = nullptr;
    std::vector<StringId> strings{0};  // the merged ids, by id; 0: not interned yet
    std::vector<SpecId> specs{0};
    std::vector<RouteId> routes{0};
    std::vector<std::uint32_t> places{0};  // see EventKey, by the id of the site
    std::uint32_t key = 0;                 // of the event that was read last
    // To be added to the numbers of collectives that span several groups, by their ranks.
    std::map<StringId, std::uint32_t> shifts;

    EventId next() const { return events->size() + 1; }  // the first event that is not merged
    bool hasNext() const { return next() <= journal->size(); }
  };
  using Parts = std::vector<Part>;  // ascending by process
  using Field = std::uint32_t Event::*;

  // JoinSource:
  Read read(std::uint32_t process, EventId id, JoinEvent& into) override;
  EventId mergedOf(std::uint32_t process, EventId own) const override {
    return processes_[process].events->mergedOf(own);
  }
  const std::vector<std::uint32_t>* hostsOf(std::uint32_t key) const override {
    return hosts_[key];
  }

  void mergeHosted();
  void mergeMeta();
  bool take(bool whole, EventId most);
  void noteGrowth(bool whole);
  bool beginNextStep(bool whole);
  StepBegin stepBegin() const;
  void keepStep();
  bool repeatStep(bool whole);
  void repeat(const JoinedStep& known);
  void repeatParts(const JoinedStep& known);
  Event repeatedEvent(const JoinedStep& known, std::size_t place);
  TensorId repeatedTensor(const JoinedStep& known, TensorId id) const;
  std::int64_t timeOf(const Parts& parts) const;
  EventKey keyOf(std::uint32_t process, const Event& event);
  std::uint32_t keyIdOf(std::uint32_t process, const Event& event);
  std::uint32_t placeOf(std::uint32_t process, StringId site);
  std::uint32_t shiftOf(std::uint32_t process, const Event& event);
  const std::vector<std::uint32_t>* hostsOfRanks(StringId ranks);

  void merge(const Parts& parts);
  void append(const Parts& parts);
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
  StringId callDetailOf(const Parts& parts);
  StringId resultDetailOf(const Parts& parts);
  std::vector<std::size_t> mixedInputs(const Parts& parts) const;
  StringId deviceOf(const Parts& parts);
  const std::vector<MergedIds::Named>& named(const Parts& parts, Field field);
  TensorId tensorOf(const std::vector<MergedIds::Named>& named);
  std::vector<TensorId> inputsOf(const Parts& parts);
  StringId textOf(std::size_t process, StringId id);
  SpecId specOf(std::size_t process, SpecId id);
  RouteId routeOf(std::size_t process, RouteId id);
  SpecId specOf(const std::vector<MergedIds::Named>& tensors);
  SpecId unitedSpec(const std::vector<SpecId>& specs);
  SpecId intern(const Spec& spec);
  StringId intern(std::string_view text);

  std::vector<Process> processes_;
  Journal journal_;
  MergedParts* parts_;                                      // owned by journal_
  std::unordered_map<std::string_view, StringId> strings_;  // the texts are owned by journal_
  std::unordered_map<Spec, SpecId, SpecHash> specs_;
  std::unordered_map<Route, RouteId, RouteHash> routes_;
  // Details that list the ranks that came, by the detail of a part and the processes.
  std::map<std::pair<StringId, std::vector<std::size_t>>, StringId> details_;
  std::map<std::vector<StringId>, StringId> unions_;  // texts of ranks, and their union
  std::map<std::vector<SpecId>, SpecId> united_;      // specs, and the spec on all of their meshes
  EventJoin join_;
  int step_ = std::numeric_limits<int>::min();
  std::unordered_map<EventKey, std::uint32_t, EventKeyHash> keys_;
  // By key: the entry in keys_ of the key that last followed it in a process. Programs are loops,
  // so most events have that key.
  std::vector<const std::pair<const EventKey, std::uint32_t>*> successors_{nullptr};
  std::vector<const std::vector<std::uint32_t>*> hosts_{nullptr};  // by key, see JoinSource
  std::vector<std::uint64_t> programKeys_{0};                      // by key
  std::map<StringId, std::vector<std::uint32_t>> hostsOf_;         // by the text of the ranks
  std::map<std::pair<std::string, int>, std::uint32_t> places_;    // by module and line
  // The group that first numbered a collective of these ranks, and its number.
  std::map<StringId, std::pair<StringId, std::uint32_t>> numbered_;
  std::pair<std::vector<StringId>, StringId> lastUnion_{};  // the last lookup in unions_
  StepBegin begin_;                                         // of the step
  bool isJoining_ = false;    // its events are joined one by one, and it may be repeated
  bool isAhead_ = false;      // finish() was called
  std::size_t recorded_ = 0;  // events of all processes at the last take()
  std::vector<std::unique_ptr<const JoinedStep>> known_;  // the last that was repeated first
  RepeatedStep repeated_;                                 // reused by each step
  std::size_t repeatedSteps_ = 0;
  std::size_t joinedInTurn_ = 0;  // steps since the last repeated one
  bool mayRepeat_ = true;
  MergedIds buffers_;
  std::vector<std::pair<EventId, Parts>> running_;
  // Reused by the merge of each event.
  Parts merging_;
  std::vector<MergedIds::Named> named_;
  std::vector<TensorId> inputs_;
  std::vector<StringId> ranks_;
};

}  // namespace shardlens
