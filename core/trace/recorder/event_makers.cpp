#include "core/trace/recorder/event_makers.h"

#include "core/trace/records/holder_record.h"

#include <algorithm>
#include <limits>

namespace shardlens {
namespace {

Event eventOf(EventKind kind) {
  Event event;
  event.kind = kind;
  return event;
}

Event eventOf(Recorder& recorder, EventKind kind, std::string_view name) {
  Event event = eventOf(kind);
  event.name = recorder.intern(name);
  return event;
}

template <class Record>
StringId detailOf(Recorder& recorder, const std::optional<Record>& record,
                  std::string (*detail)(const Record&)) {
  return record && recorder.on() ? recorder.intern(detail(*record)) : 0;
}

}  // namespace

Event makeStep(Recorder& recorder, std::string_view line) {
  return eventOf(recorder, EventKind::Step, line);
}

Event makeOperator(Recorder& recorder, std::string_view name) {
  return eventOf(recorder, EventKind::Operator, name);
}

Event makePlainCall(Recorder& recorder, std::string_view name, std::string_view detail) {
  Event event = makeOperator(recorder, name);
  event.detail = recorder.intern(detail);
  return event;
}

Event makeLookup(Recorder& recorder, CacheTable table, const CacheAnswer& answer,
                 const std::optional<LookupRecord>& lookup) {
  constexpr std::uint64_t kMostAge = std::numeric_limits<std::uint32_t>::max();
  const bool hit = answer.verdict == Verdict::Hit;
  Event event = eventOf(EventKind::CacheLookup);
  event.subkind = static_cast<std::uint8_t>(table);
  event.detail = detailOf(recorder, lookup, lookupDetail);
  event.verdict = answer.verdict;
  event.subject = answer.entry;
  event.related = static_cast<std::uint32_t>(std::min(answer.age, kMostAge));
  event.count = hit ? answer.uses : static_cast<std::int32_t>(answer.kept);
  event.bytes = static_cast<std::int64_t>(answer.entries);
  return event;
}

Event makeEviction(CacheTable table, EventId entry) {
  Event event = eventOf(EventKind::CacheEvicted);
  event.subkind = static_cast<std::uint8_t>(table);
  event.subject = entry;
  return event;
}

Event makeCandidates(Recorder& recorder, std::string_view chosen, std::size_t found,
                     std::int64_t bytes, const std::optional<CandidatesRecord>& candidates) {
  Event event = eventOf(recorder, EventKind::Candidates, chosen);
  event.detail = detailOf(recorder, candidates, candidatesDetail);
  event.count = static_cast<std::int32_t>(found);
  event.bytes = bytes;
  return event;
}

Event makeRedistribute(RouteId route, TensorId source, Verdict cause) {
  Event event = eventOf(EventKind::Redistribute);
  event.route = route;
  event.subject = source;
  event.verdict = cause;
  return event;
}

Event makePlan(Recorder& recorder, RouteId route, std::size_t steps, std::int64_t bytes,
               const std::optional<PlanRecord>& plan) {
  Event event = eventOf(EventKind::Plan);
  event.route = route;
  event.detail = detailOf(recorder, plan, planDetail);
  event.bytes = bytes;
  event.count = static_cast<std::int32_t>(steps);
  return event;
}

CollectiveTexts collectiveTexts(Recorder& recorder, std::string_view groups,
                                const CollectiveRecord& record, std::string_view group) {
  if (group.empty()) group = record.axis.empty() ? groups : std::string_view(record.axis);
  return {.ranks = recorder.intern(groups),
          .detail = recorder.intern(collectiveDetail(record)),
          .group = recorder.intern(group)};
}

Event makeCollective(Recorder& recorder, CollectiveKind kind, const CollectiveTexts& texts,
                     int meshDim, std::int64_t bytes) {
  Event event = eventOf(EventKind::Collective);
  event.subkind = static_cast<std::uint8_t>(kind);
  event.ranks = texts.ranks;
  event.bytes = bytes;
  event.meshDim = static_cast<std::int8_t>(meshDim);
  event.detail = texts.detail;
  event.group = texts.group;
  event.sequence = recorder.nextOf(event.group);
  return event;
}

Event makeCollective(Recorder& recorder, CollectiveKind kind, std::string_view groups, int meshDim,
                     std::int64_t bytes, const CollectiveRecord& record, std::string_view group) {
  return makeCollective(recorder, kind, collectiveTexts(recorder, groups, record, group), meshDim,
                        bytes);
}

Event makeMaskEvent(Recorder& recorder, const MaskPartial& placement, BufferId buffer, int refcount,
                    const MaskEvent& what) {
  Event event = eventOf(recorder, what.kind, toText(Placement(placement)));
  if (!what.holder.empty()) event.detail = recorder.intern(holderDetail(what.holder));
  event.subject = buffer;
  event.related = what.related;
  event.count = refcount;
  return event;
}

Event makeCompute(Recorder& recorder, std::string_view what) {
  return eventOf(recorder, EventKind::Compute, what);
}

Event makeResult(Recorder& recorder, std::string_view name, TensorId tensor, std::int64_t bytes,
                 TensorId mask, EventId hold) {
  Event event = eventOf(recorder, EventKind::Result, name);
  event.subject = tensor;
  event.bytes = bytes;
  event.related = mask;
  event.count = static_cast<std::int32_t>(hold);
  return event;
}

Event makePlainResult(Recorder& recorder, std::string_view name, TensorId tensor,
                      std::int64_t bytes, std::string_view detail) {
  Event event = makeResult(recorder, name, tensor, bytes, 0);
  event.detail = recorder.intern(detail);
  return event;
}

Event makeCheck(Recorder& recorder, std::string_view name, TensorId tensor, Verdict verdict,
                const CheckRecord& check) {
  Event event = eventOf(recorder, EventKind::Check, name);
  if (check != CheckRecord()) event.detail = recorder.intern(checkDetail(check));
  event.subject = tensor;
  event.verdict = verdict;
  return event;
}

Event makeError(Recorder& recorder, std::string_view message) {
  return eventOf(recorder, EventKind::Error, message);
}

}  // namespace shardlens
