#pragma once

#include "core/model/rank_ranges.h"
#include "core/trace/journal/event_references.h"
#include "core/trace/merge/merged_parts.h"

#include <limits>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardlens {

// The recordings of a run's processes as one (FORMAT.md, "Several processes"). All do the same
// steps in the same order, so what one has the others have too, or will have: that is one event.
// Where they part (one was lost, or refused alone), what only some have stands in its place and
// says whose it is. Goes on as the processes' journals grow; what has been merged never changes but
// for durations.
class JournalMerge {
 public:
  // Of one run, ordered by their ranks; they must outlive this.
  explicit JournalMerge(const std::vector<const Journal*>& processes);

  // Takes over what all processes have had, and what only some can have had, at most so many
  // events. True when there was something.
  bool advance(EventId most) { return take(/*whole=*/false, most); }
  // Takes over the rest too, as if nobody were to go on.
  bool finish(EventId most) { return take(/*whole=*/true, most); }

  // Some process has had what is not taken over yet.
  bool hasRest() const;

  // Takes over the processes' bookmarks: true when they are others than before.
  bool takeBookmarks();

  // Which of its processes had an event of the merged ones, in their order, and as which.
  struct Part {
    std::size_t process;
    EventId id;
  };
  std::vector<Part> partsOf(EventId id) const;

  const Journal& journal() const { return journal_; }

 private:
  struct Process {
    const Journal* journal = nullptr;
    EventId next = 1;  // the first event that is not merged yet
    Event head;        // what it is, if it has come
    Alignment* events = nullptr;
    std::vector<StringId> strings{0};  // what its texts and specs have become
    std::vector<SpecId> specs{0};

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
  Parts nextParts(bool whole);  // none where that is not known, or there is nothing
  bool areAllAlike();
  std::vector<Parts> heads();
  Answer isAwaited(const Parts& parts, bool whole);
  Answer willCome(std::size_t process, std::size_t other, bool whole);
  bool canCome(std::size_t process, std::size_t other);
  bool alike(std::size_t process, const Event& event, std::size_t other, const Event& its);
  bool isSameCall(std::size_t process, const Event& event, std::size_t other, const Event& its);

  void merge(const Parts& parts);
  Event eventOf(const Parts& parts);
  std::uint32_t mergedReference(const Parts& parts, Field field, Reference reference);
  bool endSpans();
  const Event& at(const Part& part) const { return processes_[part.process].head; }
  EventId mergedOf(const Part& part, EventId own) const {
    return processes_[part.process].events->mergedOf(own);
  }
  StringId ranksOf(const Parts& parts);
  StringId detailOf(const Parts& parts);
  StringId deviceOf(const Parts& parts);
  const std::vector<std::uint32_t>& named(const Parts& parts, Field field);
  TensorId tensorOf(const std::vector<TensorId>& named);  // by process
  std::vector<TensorId> inputsOf(const Parts& parts);
  StringId textOf(std::size_t process, StringId id);
  SpecId specOf(std::size_t process, SpecId id);
  StringId intern(std::string_view text);

  std::vector<Process> processes_;
  Journal journal_;
  MergedParts* parts_;                                      // journal_'s
  std::unordered_map<std::string_view, StringId> strings_;  // the texts are journal_'s
  std::unordered_map<SpecRecord, SpecId, SpecRecordHash> specs_;
  std::map<std::vector<StringId>, StringId> unions_;              // of ranks
  std::unordered_map<StringId, std::vector<RankRange>> members_;  // of collectives, by their ranks
  std::pair<std::vector<StringId>, StringId> lastUnion_{};        // the one asked for last
  MergedIds buffers_;
  std::vector<std::pair<EventId, Parts>> running_;
  std::vector<std::uint32_t> named_;
};

}  // namespace shardlens
