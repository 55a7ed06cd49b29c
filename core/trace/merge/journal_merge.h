#pragma once

#include "core/trace/file/progress.h"
#include "core/trace/journal/journal.h"
#include "core/trace/merge/merged_ids.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace shardlens {

// The recordings of a run's processes as one (FORMAT.md, "Several processes"). All do the same
// steps in the same order, so what one has the others have too, or will have: that is one event.
// Where they part (one was lost, or refused alone), what only some have stands in its place and
// says whose it is. Goes on as the processes' journals grow; what has been merged never changes but
// for durations and what ranks hold.
class JournalMerge {
 public:
  // Of one run, ordered by their ranks; they must outlive this.
  explicit JournalMerge(const std::vector<const Journal*>& processes);

  // Takes over what all processes have had, and what only some can have had. True when there was
  // something.
  bool advance(const Progress& progress = {}) { return take(/*whole=*/false, progress); }
  // Takes over the rest too, as if nobody were to go on.
  bool finish() { return take(/*whole=*/true, {}); }

  const Journal& journal() const { return journal_; }

 private:
  struct Process {
    const Journal* journal = nullptr;
    std::vector<int> hosted;
    EventId next = 1;                // the first event that is not merged yet
    std::vector<EventId> merged{0};  // what its events have become
    std::vector<StringId> strings{0};
    std::vector<SpecId> specs{0};
    std::size_t values = 0;  // so many of them have been seen
    // Values whose event is not merged yet, and those whose tensor nothing has named.
    std::unordered_map<EventId, std::vector<const ValueRecord*>> early;
    std::unordered_map<TensorId, std::vector<const ValueRecord*>> unnamed;

    bool hasNext() const { return next <= journal->size(); }
  };
  // A process's part of a merged event.
  struct Part {
    std::size_t process;
    EventId id;
  };
  using Parts = std::vector<Part>;                     // ascending by process
  using Timings = std::vector<std::optional<Timing>>;  // one a process
  using Field = std::uint32_t Event::*;
  enum class Answer { Yes, No, NotYet };

  void mergeMeta();
  bool take(bool whole, const Progress& progress);
  Parts nextParts(bool whole) const;  // none where that is not known, or there is nothing
  std::vector<Parts> heads() const;
  Answer isAwaited(const Parts& parts, bool whole) const;
  Answer willCome(const Part& part, const Process& other, bool whole) const;
  bool alike(const Part& a, const Part& b) const;

  void merge(const Parts& parts);
  Event eventOf(const Parts& parts);
  Timings timingsOf(const Parts& parts, Event& event) const;
  bool endSpans();
  Event at(const Part& part) const { return processes_[part.process].journal->at(part.id); }
  StringId ranksOf(const Parts& parts);
  StringId detailOf(const Parts& parts);
  StringId deviceOf(const Parts& parts);
  std::vector<std::uint32_t> named(const Parts& parts, Field field) const;
  TensorId tensorOf(const std::vector<TensorId>& named);  // by process
  std::vector<TensorId> inputsOf(const Parts& parts);
  StringId textOf(std::size_t process, StringId id);
  SpecId specOf(std::size_t process, SpecId id);
  StringId intern(std::string_view text);

  bool takeValues(std::size_t process);
  void place(std::size_t process, const ValueRecord& value);
  void put(const ValueRecord& value, TensorId tensor, EventId event);
  void placeUnnamed(std::size_t process, TensorId tensor, TensorId into);

  std::vector<Process> processes_;
  Journal journal_;
  std::unordered_map<std::string_view, StringId> strings_;  // the texts are journal_'s
  std::unordered_map<SpecRecord, SpecId, SpecRecordHash> specs_;
  std::map<std::vector<StringId>, StringId> unions_;  // of ranks
  MergedIds tensors_;
  MergedIds buffers_;
  std::vector<std::pair<EventId, Parts>> running_;
};

}  // namespace shardlens
