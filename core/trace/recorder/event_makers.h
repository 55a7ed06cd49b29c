#pragma once

#include "core/trace/recorder/recorder.h"
#include "core/trace/records/candidates_record.h"
#include "core/trace/records/check_record.h"
#include "core/trace/records/collective_record.h"
#include "core/trace/records/lookup_record.h"
#include "core/trace/records/plan_record.h"

#include <optional>
#include <string>
#include <string_view>

namespace shardlens {

// Functions that build one event per kind, for Recorder::note() or begin(). They fill the fields
// that depend on the kind and intern their texts in `recorder`, which emits new texts to its sinks;
// without sinks all texts are 0. The recorder fills the other fields (parent, step, time). Pass
// nullopt for a record if no sink requests reasons.

// `line`: the text of the step.
Event makeStep(Recorder& recorder, std::string_view line);
// `name`: "aten.embedding".
Event makeOperator(Recorder& recorder, std::string_view name);
// An operator on plain tensors. `detail`: see PlainCall; "" for one on sharded tensors.
Event makePlainCall(Recorder& recorder, std::string_view name, std::string_view detail);

// The result of a cache lookup. An entry is identified by the event of the miss that created it, 0
// if that miss was not recorded.
struct CacheAnswer {
  Verdict verdict = Verdict::Miss;
  std::size_t entries = 0;  // in the cache at the lookup
  EventId entry = 0;        // hit: the entry found; miss: the most similar entry
  int uses = 0;             // hit: how often the entry was hit, this hit included
  std::uint64_t age = 0;    // hit: lookups since the entry was created
  bool kept = false;        // miss: the answer is stored in the cache
};
Event makeLookup(Recorder& recorder, CacheTable table, const CacheAnswer& answer,
                 const std::optional<LookupRecord>& lookup);
// `entry`: the miss that created the evicted entry.
Event makeEviction(CacheTable table, EventId entry);
// `chosen`: the selected strategy. `found`: the number of allowed strategies. `bytes`: received per
// rank when the inputs are redistributed for it.
Event makeCandidates(Recorder& recorder, std::string_view chosen, std::size_t found,
                     std::int64_t bytes, const std::optional<CandidatesRecord>& candidates);
// `route`: the placements before and after. `source`: the tensor to redistribute. `cause`: Implicit
// or Explicit.
Event makeRedistribute(RouteId route, TensorId source, Verdict cause);
// `route`: the placements before and after each step. `bytes`: received per rank, as estimated.
Event makePlan(Recorder& recorder, RouteId route, std::size_t steps, std::int64_t bytes,
               const std::optional<PlanRecord>& plan);
// The interned texts of a collective, for calls that repeat.
struct CollectiveTexts {
  StringId ranks = 0;
  StringId detail = 0;
  StringId group = 0;
};
// `groups`: the members of each group, "0,2|1,3". `group` names the process group; by default
// collectives with the same axis (or, without an axis, the same groups) belong to one.
CollectiveTexts collectiveTexts(Recorder& recorder, std::string_view groups,
                                const CollectiveRecord& record, std::string_view group = {});
// `bytes`: sent by the hosted ranks in total. Each call assigns the next sequence number of the
// process group.
Event makeCollective(Recorder& recorder, CollectiveKind kind, const CollectiveTexts& texts,
                     int meshDim, std::int64_t bytes);
// As above, with the texts of collectiveTexts().
Event makeCollective(Recorder& recorder, CollectiveKind kind, std::string_view groups, int meshDim,
                     std::int64_t bytes, const CollectiveRecord& record,
                     std::string_view group = {});
// The fields of a mask event that depend on its kind.
struct MaskEvent {
  EventKind kind = EventKind::MaskMaterialized;  // or MaskApplied, MaskReleased
  std::uint32_t related = 0;                     // see EventKind
  std::string_view holder = {};                  // MaskMaterialized: the name of the new holder
};
// `refcount`: of `buffer`, after the event.
Event makeMaskEvent(Recorder& recorder, const MaskPartial& placement, BufferId buffer, int refcount,
                    const MaskEvent& what);
// `what`: what each rank computes.
Event makeCompute(Recorder& recorder, std::string_view what);
// `bytes`: of the hosted ranks in total. `mask`: the tensor with the mask's bits, 0 without a mask.
// `hold`: the MaskMaterialized of the hold that the tensor shares, or 0.
Event makeResult(Recorder& recorder, std::string_view name, TensorId tensor, std::int64_t bytes,
                 TensorId mask, EventId hold = 0);
// A plain tensor. `detail`: see readPlainRole().
Event makePlainResult(Recorder& recorder, std::string_view name, TensorId tensor,
                      std::int64_t bytes, std::string_view detail);
// `name`, `tensor`: of the checked result. `verdict`: Same or Differs; None if it was not compared.
Event makeCheck(Recorder& recorder, std::string_view name, TensorId tensor, Verdict verdict,
                const CheckRecord& check);
Event makeError(Recorder& recorder, std::string_view message);

}  // namespace shardlens
