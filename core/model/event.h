#pragma once

#include <cstdint>

namespace shardlens {

// Events are numbered from 1 in the order in which they began; 0 is no event. A *position* in a
// recording is a number of events: at position k, events 1..k have happened.
using EventId = std::uint32_t;
using StringId = std::uint32_t;  // 0 is the empty string
using SpecId = std::uint32_t;    // 0 is none
using TensorId = std::uint32_t;  // 0 is no tensor
using BufferId = std::uint32_t;  // mask buffers; 0 is none
using RouteId = std::uint32_t;   // placements of a redistribution, see route.h; 0 is none

// The meaning of Event's general fields for each kind. "detail" is JSON, described in FORMAT.md.
//
//   Step              name: line of the program            detail: -
//                     verdict Off: its operators are not recorded, see step_operators.h
//   Operator          name: aten.embedding                 inputs: the argument tensors
//   CacheLookup       cache()                              bytes: number of entries in the cache
//     verdict Hit     subject: the miss that made the      count: hits on the entry, with this one
//                     entry                                related: lookups since then
//     Miss, Off       subject: the miss that made the      count: 1 if the result is cached
//                     most similar entry                   detail: {"fields": [...]}
//   CacheEvicted      cache()                              subject: the miss that made the entry
//   Candidates        name: the chosen strategy            detail: [{"name", "inputs", ...}]
//                     bytes: each rank receives            count: strategies found
//   Redistribute      route: from, to                      subject: the source tensor
//                     verdict: Implicit | Explicit
//   Plan              route: before and after each step    detail: [{"axis", "from", "to", ...}]
//                     bytes: each rank receives            count: steps
//   Collective        collective()                         ranks: its groups, "0,2|1,3"
//                     bytes: sent by the hosted ranks      detail: {"axis": "dp_tp"}, meshDim
//                     time: of the call that enqueues it   duration: until it is complete
//   MaskMaterialized  subject: buffer                      count: refcount after it
//                     related: mask tensor                 detail: {"holder": "x'"}
//                     begins a hold on the buffer
//   MaskApplied       subject: buffer                      related: tensor with masked rows zeroed
//   MaskReleased      subject: buffer                      count: refcount after it
//                     related: the MaskMaterialized event of the hold that ends
//   Compute           name: what each rank computes        ranks: the ranks that compute
//   Result            name: of the tensor                  subject: tensor, related: its mask
//                     bytes: on the hosted ranks           count: event of its mask hold, or 0
//   Error             name: the message
//   Check             name: of the result                  subject: tensor
//                     verdict: Same | Differs, or None     detail: {"largest": ..., ...}
//                     if it was not compared
enum class EventKind : std::uint8_t {
  Step,
  Operator,
  CacheLookup,
  Candidates,
  Redistribute,
  Plan,
  Collective,
  MaskMaterialized,
  MaskApplied,
  MaskReleased,
  Compute,
  Result,
  Error,
  CacheEvicted,
  Check,
};
inline constexpr int kEventKinds = 15;

// Returns true if `subject` of such events is a mask buffer.
constexpr bool isOfMask(EventKind kind) {
  return kind == EventKind::MaskMaterialized || kind == EventKind::MaskApplied ||
         kind == EventKind::MaskReleased;
}
// Returns true if `subject` of such events is the lookup (a miss) that made a cache entry.
constexpr bool isOfCache(EventKind kind) {
  return kind == EventKind::CacheLookup || kind == EventKind::CacheEvicted;
}

enum class Verdict : std::uint8_t { None, Hit, Miss, Off, Implicit, Explicit, Same, Differs };

// The call of a Collective. Other: `name` has it.
enum class CollectiveKind : std::uint8_t {
  Other,
  AllGather,
  AllReduce,
  AllToAll,
  Barrier,
  Broadcast,
  Gather,
  HaloExchange,
  Reduce,
  ReduceScatter,
  Scatter,
};
inline constexpr int kCollectiveKinds = 11;

// Returns true if no member of such a collective returns before all members have called it. Not
// AllToAll, in which a member may have nothing to exchange.
constexpr bool waitsForAll(CollectiveKind kind) {
  return kind == CollectiveKind::AllReduce || kind == CollectiveKind::AllGather ||
         kind == CollectiveKind::ReduceScatter;
}

// The cache of a CacheLookup or CacheEvicted. Other: `name` has it.
enum class CacheTable : std::uint8_t { Other, Strategy, Plan };
inline constexpr int kCacheTables = 3;

// One recorded event, of fixed size. Texts, tensors and values are stored separately and referenced
// by id, so recording an event takes nanoseconds. A span (an operator, a collective) is one event:
// `duration` is kRunning until it ends, and stays kRunning in the recording of a killed run.
struct Event {
  static constexpr std::int64_t kRunning = -1;

  std::int64_t time = 0;      // nanoseconds since the recording began
  std::int64_t duration = 0;  // nanoseconds
  std::int64_t bytes = 0;
  // Of a Collective of a job: nanoseconds of `duration` for which its rank was blocked, in the call
  // that enqueued it and in waits. 0 is unknown; `duration` may then be that of the call alone.
  std::int64_t exposed = 0;
  EventId parent = 0;  // the enclosing span; 0 is none
  StringId name = 0;   // 0 if other fields determine it, see Journal::name()
  StringId detail = 0;
  StringId ranks = 0;  // "0-3"; for a collective its groups, separated by "|", members in order
  std::uint32_t subject = 0;
  std::uint32_t related = 0;
  std::int32_t line = 0;   // line of the program, from 1; 0 is none
  std::int32_t step = -1;  // step of the scenario, from 0; -1 is none
  std::int32_t count = 0;
  std::uint32_t inputs = 0;  // number of input tensors listed besides those in the fields
  // Each of the following four is 0 if unknown.
  StringId site = 0;           // call site in the user's program: JSON, see FORMAT.md
  StringId device = 0;         // "cuda:1", or with its stream "cuda:1 stream 7"
  StringId group = 0;          // process group of a collective
  std::uint32_t sequence = 0;  // number of a collective within its group, from 1
  RouteId route = 0;           // of a Redistribute or Plan; 0: `name` has its text
  EventKind kind = EventKind::Step;
  Verdict verdict = Verdict::None;
  std::int8_t meshDim = -1;  // -1 is none, or several
  std::uint8_t subkind = 0;  // a CollectiveKind or CacheTable, by kind

  CollectiveKind collective() const {
    return kind == EventKind::Collective ? static_cast<CollectiveKind>(subkind)
                                         : CollectiveKind::Other;
  }
  CacheTable cache() const {
    return isOfCache(kind) ? static_cast<CacheTable>(subkind) : CacheTable::Other;
  }

  bool operator==(const Event&) const = default;
};
static_assert(sizeof(Event) == 96);

}  // namespace shardlens
