#include "core/imports/imported_rank.h"

#include "core/base/text.h"
#include "core/imports/input/bad_dump.h"
#include "core/model/ranks_text.h"
#include "core/trace/file/trace_schema.h"
#include "core/trace/records/collective_record.h"
#include "core/trace/records/trace_rows.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace shardlens {

Result<std::unique_ptr<ImportedRank>> ImportedRank::create(const std::filesystem::path& path,
                                                           int rank, std::string_view format) {
  auto writer = TraceWriter::create(path);
  if (!writer) return tl::unexpected(writer.error());
  std::unique_ptr<ImportedRank> made(new ImportedRank(std::move(*writer)));
  made->meta("imported", format);
  made->meta("hosted", std::to_string(rank));
  made->ranks_ = made->intern(std::to_string(rank));
  return made;
}

StringId ImportedRank::intern(std::string_view text) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  if (text.empty()) return 0;
  const auto found = strings_.find(text);
  if (found != strings_.end()) return found->second;
  if (textBytes_ + text.size() > kMostBytes) {
    hasLostTexts_ = true;
    return 0;
  }
  textBytes_ += text.size();
  const auto id = static_cast<StringId>(strings_.size() + 1);
  strings_.emplace(text, id);
  writer_->onString(id, text);
  return id;
}

TensorId ImportedRank::addTensor(std::string_view name, const Spec& spec) {
  const auto [known, isNew] = specs_.try_emplace(spec, static_cast<SpecId>(specs_.size() + 1));
  if (isNew) writer_->onSpec(known->second, spec);
  writer_->onTensor(++tensors_, intern(name), known->second);
  return tensors_;
}

Event ImportedRank::makeCollective(const ImportedCollective& call) {
  constexpr std::int64_t kMostSequence = std::numeric_limits<std::uint32_t>::max();
  Event event;
  event.kind = EventKind::Collective;
  event.subkind = static_cast<std::uint8_t>(call.kind);
  event.group = intern(call.group);
  event.bytes = call.bytes;
  if (!call.members.empty()) event.ranks = intern(ranksText({call.members}));
  if (call.purpose != "undefined") event.detail = intern(collectiveDetail({.axis = call.purpose}));
  if (call.sequence > 0 && call.sequence <= kMostSequence) {
    event.sequence = static_cast<std::uint32_t>(call.sequence);
  }
  return event;
}

Event ImportedRank::makeRedistribute(std::string_view change, Verdict cause) {
  return makeRedistribute(parseRoute(change).value_or(Route()), change, cause);
}

Event ImportedRank::makeRedistribute(Route route, std::string_view change, Verdict cause) {
  Event event;
  event.kind = EventKind::Redistribute;
  event.verdict = cause;
  if (routeText(route) != change) event.name = intern(change);
  // Placements that no tensor can have stay text.
  if (route.empty() || !parseRouteJson(routeJson(route))) {
    event.name = intern(change);
    return event;
  }
  const auto [known, isNew] =
      routes_.try_emplace(std::move(route), static_cast<RouteId>(routes_.size() + 1));
  if (isNew) writer_->onRoute(known->second, known->first);
  event.route = known->second;
  return event;
}

EventId ImportedRank::add(Event event, std::span<const TensorId> inputs) {
  if (events_ == std::numeric_limits<EventId>::max()) {
    throw BadDump("got more events than a recording holds, expected at most 4 billion");
  }
  if (std::max(std::abs(event.time), event.duration) > kFarthestTime) {
    throw BadDump("got times more than 73 years apart, expected those of a run");
  }
  // Only the dump knows the ranks of a collective. Other events belong to this rank.
  if (event.ranks == 0 && event.kind != EventKind::Collective) event.ranks = ranks_;
  event.inputs = static_cast<std::uint32_t>(inputs.size());
  writer_->onEvent(++events_, event, inputs);
  return events_;
}

EventId ImportedRank::addStrategy(EventId op, CandidateRecord chosen) {
  chosen.chosen = true;
  std::vector<std::string> placements;
  for (const auto& each : chosen.outputs.empty() ? chosen.inputs : chosen.outputs) {
    placements.push_back(shortText(each));
  }
  chosen.name = joined(placements);
  Event event;
  event.kind = EventKind::Candidates;
  event.parent = op;
  event.count = 1;
  event.name = intern(chosen.name);
  event.detail = intern(candidatesDetail({{std::move(chosen)}}));
  return add(event);
}

}  // namespace shardlens
