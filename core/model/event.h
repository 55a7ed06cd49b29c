#pragma once

#include <cstdint>

namespace shardlens {

// Events are numbered from 1 in the order in which they began; 0 is no event. A *position* in a
// recording is a number of events: at position k the events 1..k have happened.
using EventId = std::uint32_t;
using StringId = std::uint32_t;  // 0 is the empty string
using SpecId = std::uint32_t;    // 0 is none
using TensorId = std::uint32_t;  // 0 is no tensor
using BufferId = std::uint32_t;  // mask buffers; 0 is none

// What each kind says in the general fields of Event. "detail" is JSON; FORMAT.md spells it out.
//
//   Step              name: the line of the program         detail: -
//   Operator          name: aten.embedding                  inputs: the tensors it is called with
//   CacheLookup       name: strategy | plan                 bytes: entries that the cache has
//     verdict Hit     subject: the miss that made the entry count: its earlier uses
//                     related: lookups since then
//     Miss, Off       subject: the miss that made the       count: 1 where the answer is kept
//                     entry most like it                    detail: {"fields": [...]}
//   CacheEvicted      name: strategy | plan                 subject: the miss that made the entry
//   Candidates        name: the strategy that won           detail: [{"name", "inputs", ...}]
//   Redistribute      name: R -> MaskP(...)                 subject: the tensor it reads
//                     verdict: Implicit | Explicit
//   Plan              name: (S(0), R) -> (R, R)             detail: [{"axis", "from", "to", ...}]
//                     bytes: each rank receives             count: steps
//   Collective        name: all_reduce                      ranks: its groups, "0,2|1,3"
//                     bytes: what the hosted ranks put in   detail: {"axis": "dp_tp"}, meshDim
//   MaskMaterialized  subject: buffer, related: mask tensor count: refcount after it
//                     begins a hold                         detail: {"holder": "x'"}
//   MaskApplied       subject: buffer, related: the tensor whose masked rows became zero
//   MaskReleased      subject: buffer                       count: refcount after it
//                     related: the event of the hold that ends
//   Compute           name: what each rank computes         ranks: who
//   Result            name: of the tensor                   subject: tensor, related: its mask
//                                                           count: the event of its hold, if any
//   Error             name: the message
//   Check             name: of the result, subject: tensor  detail: {"largest": ..., ...}
//                     verdict: Same | Differs, or None where it is not checked
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

// Whose subject is a mask buffer.
constexpr bool isOfMask(EventKind kind) {
  return kind == EventKind::MaskMaterialized || kind == EventKind::MaskApplied ||
         kind == EventKind::MaskReleased;
}
// Whose subject is the look-up that made an entry.
constexpr bool isOfCache(EventKind kind) {
  return kind == EventKind::CacheLookup || kind == EventKind::CacheEvicted;
}

enum class Verdict : std::uint8_t { None, Hit, Miss, Off, Implicit, Explicit, Same, Differs };

// One thing that happened, of a fixed size: texts, tensors and values are kept beside it and named
// by id, so that recording costs nanoseconds. A span (an operator, a collective) is one event too:
// its duration is filled in when it ends, and is kRunning until then, also in the recording of a
// killed run.
struct Event {
  static constexpr std::int64_t kRunning = -1;

  std::int64_t time = 0;      // nanoseconds since the recording began
  std::int64_t duration = 0;  // nanoseconds
  std::int64_t bytes = 0;
  EventId parent = 0;
  StringId name = 0;
  StringId detail = 0;
  StringId ranks = 0;  // "0-3", a group's members after one another; groups parted by "|"
  std::uint32_t subject = 0;
  std::uint32_t related = 0;
  std::int32_t line = 0;   // in the program, from 1; 0 is nowhere
  std::int32_t step = -1;  // of the scenario, from 0; -1 is none
  std::int32_t count = 0;
  std::uint32_t inputs = 0;  // how many tensors it names, in order, beside those of its fields
  // Of what is not known they are 0.
  StringId site = 0;           // where in the user's program it was called: JSON, see FORMAT.md
  StringId device = 0;         // "cuda:1", and its stream, "cuda:1 stream 7"
  StringId group = 0;          // of a collective: its process group
  std::uint32_t sequence = 0;  // of a collective: its number in the group, from 1
  EventKind kind = EventKind::Step;
  Verdict verdict = Verdict::None;
  std::int8_t meshDim = -1;

  bool operator==(const Event&) const = default;
};
static_assert(sizeof(Event) == 88);

}  // namespace shardlens
