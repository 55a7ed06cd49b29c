#pragma once

#include "core/trace/journal/recorder.h"
#include "core/trace/records/candidates_record.h"
#include "core/trace/records/check_record.h"
#include "core/trace/records/collective_record.h"
#include "core/trace/records/lookup_record.h"
#include "core/trace/records/plan_record.h"

#include <optional>
#include <string>
#include <string_view>

namespace shardlens {

// An event of each kind, for Recorder::note() or begin(): nobody else fills in the general fields
// of Event. What it says of why is left out where nobody wants reasons.

Event makeStep(Recorder& recorder, std::string_view line);
Event makeOperator(Recorder& recorder, std::string_view name);

// What a cache said. Entries are known by the miss that made them, 0 where that was not recorded.
struct CacheAnswer {
  Verdict verdict = Verdict::Miss;
  std::size_t entries = 0;  // that the cache has
  EventId entry = 0;        // of a hit the one that was found, else the one most like the question
  int uses = 0;             // of a hit: how often the entry served before
  std::uint64_t age = 0;    // of a hit: lookups since the entry was made
  bool kept = false;        // of a miss: whether its answer is remembered
};
// `table`: "strategy" or "plan".
Event makeLookup(Recorder& recorder, std::string_view table, const CacheAnswer& answer,
                 const std::optional<LookupRecord>& lookup);
Event makeEviction(Recorder& recorder, std::string_view table, EventId entry);
// `chosen`: the name of the strategy that won, of `found` ones, for which each rank receives
// `bytes`.
Event makeCandidates(Recorder& recorder, std::string_view chosen, std::size_t found,
                     std::int64_t bytes, const std::optional<CandidatesRecord>& candidates);
Event makeRedistribute(Recorder& recorder, std::string_view change, TensorId source, Verdict cause);
// `route`: "(S(0), R) -> (R, R)". `bytes`: what each rank receives.
Event makePlan(Recorder& recorder, std::string_view route, std::size_t steps, std::int64_t bytes,
               const std::optional<PlanRecord>& plan);
// `groups`: "0,2|1,3". `bytes`: what the hosted ranks put in. Collectives over the same axis are
// of one process group, and are numbered.
Event makeCollective(Recorder& recorder, std::string_view kind, std::string_view groups,
                     int meshDim, std::int64_t bytes, const CollectiveRecord& said);
// What happened to a mask buffer.
struct MaskEvent {
  EventKind kind = EventKind::MaskMaterialized;  // or MaskApplied, MaskReleased
  std::uint32_t related = 0;                     // see Event
  std::string_view holder = {};  // of MaskMaterialized: the name of who holds it now
};
Event makeMaskEvent(Recorder& recorder, const MaskPartial& placement, BufferId buffer, int refcount,
                    const MaskEvent& what);
Event makeCompute(Recorder& recorder, std::string_view what);
// `bytes`: of the hosted ranks. `mask`: the tensor of its mask's bits, 0 where it has none.
// `hold`: the MaskMaterialized of the hold that it shares; 0 is none.
Event makeResult(Recorder& recorder, std::string_view name, TensorId tensor, std::int64_t bytes,
                 TensorId mask, EventId hold = 0);
// `name`: of the result. `verdict`: Same or Differs; None where it was not checked.
Event makeCheck(Recorder& recorder, std::string_view name, TensorId tensor, Verdict verdict,
                const CheckRecord& check);
Event makeError(Recorder& recorder, std::string_view message);

}  // namespace shardlens
