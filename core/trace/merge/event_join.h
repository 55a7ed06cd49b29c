#pragma once

#include "core/model/event.h"
#include "core/trace/merge/id_table.h"

#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

namespace shardlens {

// An event of one process, as the join needs it.
struct JoinEvent {
  std::uint32_t key = 0;    // the id of its EventKey, from 1
  bool isNumbered = false;  // a numbered collective: `sequence` is set
  std::uint32_t sequence = 0;
  EventId parent = 0;      // the enclosing event in its process
  std::uint8_t worth = 0;  // see EventJoin
};

// The events that an EventJoin reads.
class JoinSource {
 public:
  // Event: `into` is set. LaterStep: the current step has no more events. None: the process has not
  // recorded more.
  enum class Read { Event, LaterStep, None };

  virtual ~JoinSource() = default;
  // Reads event `id` of a process. Each is read once, in order.
  virtual Read read(std::uint32_t process, EventId id, JoinEvent& into) = 0;
  // Returns the merged event of an event that is merged; 0 for 0.
  virtual EventId mergedOf(std::uint32_t process, EventId own) const = 0;
  // Returns the processes that can record events of this key; null: all.
  virtual const std::vector<std::uint32_t>* hostsOf(std::uint32_t key) const = 0;
};

// Joins the events of several processes by key, step by step, and orders the joined events. Two
// events match if they have the same key and the same enclosing event; numbered collectives if they
// have the same key and number. An event is due when all processes that still have a match of it
// in the step have reached it. Of several that are due, the one that the lowest process has reached
// comes first, so that the order depends on the matches alone. Where the processes have events in
// opposite orders, so that none is due, the one with the least worth is joined with those processes
// alone that have reached it. Takes constant time per event of a process, independent of the number
// of processes. Looks ahead in a process by a few events, and else only as far as the decision
// requires.
class EventJoin {
 public:
  // `source` must outlive this object.
  EventJoin(JoinSource& source, std::size_t processes) : source_(source), processes_(processes) {}

  // Begins a step. All events of the step before must be joined.
  void beginStep();
  // Skips the next `events` events of a process, which are all that it has recorded in the step so
  // far. `hasLater`: it has begun a later step. Call it for each process, when all events of the
  // step before are joined, instead of beginStep().
  void skip(std::uint32_t process, EventId events, bool hasLater);
  // Call it after the processes may have recorded more.
  void refresh();
  // Returns the processes, ascending, whose next events are joined next, to one event. Empty if
  // there is none in this step, or if what the processes record later may decide. `whole`: they
  // record nothing more.
  const std::vector<std::uint32_t>& next(bool whole);
  // Joins what next() returned to the merged event `id`.
  void join(EventId id);
  // Returns true if all events of the step are joined.
  bool isStepDone(bool whole) const { return arrived_ == 0 && (whole || starved_ == 0); }
  // Returns the first event of a process that is not joined.
  EventId firstOf(std::uint32_t process) const { return processes_[process].first; }

 private:
  // An event that is read and not joined.
  struct Ahead {
    std::uint32_t key;
    std::uint32_t slot;       // 0 as long as the enclosing event is not joined
    std::uint32_t child = 0;  // a list of events whose slot is 0; places in Process::ahead, + 1
    std::uint32_t sibling = 0;
    std::uint8_t worth;
  };
  struct Process {
    EventId first = 1;  // the first event that is not joined
    std::vector<Ahead> ahead = {};
    std::size_t joined = 0;              // events at the begin of `ahead` that are joined
    IdTable<std::uint32_t> counts = {};  // of the events of `ahead` that are not joined, by slot
    bool hasArrived = false;             // its first event is among the heads of a slot
    bool isStarved = false;              // the step may have more events, but none is recorded
    bool isStepRead = false;             // all events of the step are read
  };
  // Events that match.
  struct Slot {
    std::uint64_t id = 0;       // the key and the enclosing event, or the number
    std::uint32_t holders = 0;  // processes that have an event of it ahead, as far as it is read
    std::uint32_t version = 0;  // changes when the heads are joined
    bool isQueued = false;      // in due_, with its lowest process
    std::uint8_t worth = 0;
    std::uint32_t lowest = 0;               // of the heads
    std::vector<std::uint32_t> heads = {};  // processes whose first event is of it
  };
  // Among equal worth, the slot that the lowest process has reached comes first.
  using Queued = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  using Queue = std::priority_queue<Queued, std::vector<Queued>, std::greater<>>;
  enum class Answer { Yes, No, NotYet };

  bool readMore(std::uint32_t process);
  void arrive(std::uint32_t process);
  void queue(std::uint32_t slot);
  void forgetJoined();
  bool isCurrent(const Queued& queued) const;
  Answer isAwaited(std::uint32_t slot, bool whole);
  Answer isAwaitedBy(std::uint32_t process, std::uint32_t slot, bool whole);
  std::uint32_t slotOf(std::uint32_t key, std::uint32_t of, std::uint8_t worth);
  void count(std::uint32_t process, std::uint32_t slot);
  void uncount(std::uint32_t process, std::uint32_t slot);

  JoinSource& source_;
  std::vector<Process> processes_;
  std::vector<std::uint32_t> unread_;  // processes of whose step there may be more to read
  std::vector<Slot> slots_{Slot()};
  std::vector<std::uint32_t> freeSlots_;
  IdTable<std::uint64_t> slotIds_;  // by Slot::id
  Queue due_;                       // slots whose heads are all that hold it, as far as it is read
  Queue reached_;                   // all slots with heads
  std::size_t arrived_ = 0, starved_ = 0;
  std::uint32_t chosen_ = 0;
  std::vector<std::uint32_t> next_;
};

}  // namespace shardlens
