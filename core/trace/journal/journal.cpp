#include "core/trace/journal/journal.h"

#include "core/base/check.h"
#include "core/trace/events/event_names.h"

#include <algorithm>

namespace shardlens {
namespace {

BlockSummary summarized(const EventBlock& block) {
  BlockSummary summary{block.events.front().step, block.events.front().step, 0};
  for (const Event& event : block.events) {
    summary.leastStep = std::min(summary.leastStep, event.step);
    summary.greatestStep = std::max(summary.greatestStep, event.step);
    summary.kinds |= std::uint32_t{1} << static_cast<unsigned>(event.kind);
  }
  return summary;
}

}  // namespace

std::string_view Journal::meta(std::string_view key) const {
  const auto found = meta_.find(key);
  return found == meta_.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view Journal::name(const Event& event) const {
  if (event.name != 0) return text(event.name);
  if (event.route != 0) return routeText(event.route);
  if (isOfCache(event.kind)) return cacheName(event.cache());
  return collectiveName(event.collective());
}

std::uint64_t Journal::nameKey(const Event& event) {
  enum : std::uint64_t { kText, kRoute, kSubkind };
  const auto key = [](std::uint64_t of, std::uint64_t id) { return of << 32U | id; };
  if (event.name != 0) return key(kText, event.name);
  if (event.route != 0) return key(kRoute, event.route);
  const auto kind = static_cast<std::uint64_t>(event.kind);
  return event.subkind == 0 ? 0 : key(kSubkind, kind << 8U | event.subkind);
}

std::string Journal::numberOf(EventId id) const {
  if (!isPart() || id == 0) return std::to_string(id);
  at(id);
  return numberOf_(id);
}

std::optional<EventPart> Journal::part(EventId id, int rank) const {
  if (partOf_) return partOf_(id, rank);
  const Event event = at(id);
  return EventPart{event.time, event.duration, event.bytes, event.exposed};
}

void Journal::onMeta(std::string_view key, std::string_view value) {
  meta_.insert_or_assign(std::string(key), std::string(value));
  if (key == "backend") transport_ = parseTransport(value);
}

void Journal::onString(StringId id, std::string_view text) {
  SL_CHECK(id == strings_.size(), "strings come in the order of their ids");
  strings_.emplace_back(text);
}

void Journal::onSpec(SpecId id, const Spec& spec) {
  SL_CHECK(id == specs_.size() + 1, "specs come in the order of their ids");
  specs_.push_back(spec);
}

void Journal::onRoute(RouteId id, const Route& route) {
  SL_CHECK(id == routes_.size(), "routes come in the order of their ids");
  routes_.push_back({route, shardlens::routeText(route)});
}

void Journal::onTensor(TensorId id, StringId name, SpecId spec) {
  SL_CHECK(id == tensors_.size() + 1, "tensors come in the order of their ids");
  SL_CHECK(name < strings_.size() && spec >= 1 && spec <= specs_.size(),
           "what a tensor names comes before it");
  tensors_.add({name, spec});
}

void Journal::onEvent(EventId id, const Event& event, std::span<const TensorId> inputs) {
  SL_CHECK(id == events_.size() + 1, "events come in the order of their ids");
  events_.append(event, inputs);
  look(id, event);
}

void Journal::onBlock(const EventBlock& block, std::vector<std::byte> packed) {
  events_.append(std::move(packed));
  summaries_.resize((block.first - 1) / kBlockEvents);
  summaries_.push_back(summarized(block));
  EventId id = block.first;
  for (const Event& event : block.events) look(id++, event);
  SL_CHECK(id == events_.size() + 1, "a whole block follows a whole one");
}

void Journal::look(EventId id, const Event& event) {
  if (firstError_ == 0 && event.kind == EventKind::Error) firstError_ = id;
  if (firstDifference_ == 0 && event.verdict == Verdict::Differs) firstDifference_ = id;
  totals_.add(event);
  if (implicit_.add(id, event)) totals_.addImplicit();
}

void Journal::onEnd(EventId id, std::int64_t duration) {
  Event event = at(id);
  events_.end(id, duration);
  event.duration = duration;
  totals_.end(event);
}

}  // namespace shardlens
