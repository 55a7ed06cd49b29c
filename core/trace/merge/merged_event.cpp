// The part of JournalMerge that builds one event from its parts.
#include "core/base/wrapped_sum.h"
#include "core/model/rank_ranges.h"
#include "core/model/ranks_text.h"
#include "core/trace/merge/journal_merge.h"
#include "core/trace/records/collective_record.h"
#include "core/trace/records/load_record.h"
#include "core/trace/records/plain_record.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

namespace shardlens {

// Takes the earliest time, on the common clock as far as it is known, and the longest duration of
// the parts.
Event JournalMerge::eventOf(const Parts& parts) {
  const Part& first = parts.front();
  Event event = at(first);
  event.time = timeOf(first);
  const bool counts = countsHosted(event.kind);
  for (const auto& part : std::span(parts).subspan(1)) {
    const Event& its = at(part);
    event.time = std::min(event.time, timeOf(part));
    event.exposed = std::max(event.exposed, its.exposed);
    const bool running = event.duration == Event::kRunning || its.duration == Event::kRunning;
    event.duration = running ? Event::kRunning : std::max(event.duration, its.duration);
    if (counts) increase(event.bytes, its.bytes);
  }
  event.parent = mergedOf(first, event.parent);
  event.name = textOf(first.process, event.name);
  event.route = routeOf(first.process, event.route);
  event.detail = detailOf(parts);
  event.ranks = ranksOf(parts);
  event.site = textOf(first.process, event.site);
  event.group = textOf(first.process, event.group);
  event.device = deviceOf(parts);
  event.related = mergedReference(parts, &Event::related, relatedOf(event.kind));
  event.subject = mergedReference(parts, &Event::subject, subjectOf(event.kind));
  if (countOf(event.kind) == Reference::Event) {
    event.count = static_cast<std::int32_t>(mergedOf(first, static_cast<EventId>(event.count)));
  }
  return event;
}

std::int64_t JournalMerge::timeOf(const Part& part) const {
  return parts_->clocks().read(part.process, at(part).time).time;
}

std::uint32_t JournalMerge::mergedReference(const Parts& parts, Field field, Reference reference) {
  switch (reference) {
    case Reference::Event:
      return mergedOf(parts.front(), at(parts.front()).*field);
    case Reference::Tensor:
      return tensorOf(named(parts, field));
    case Reference::Buffer:
      return buffers_.find(named(parts, field)).id;
    case Reference::None:
      break;
  }
  return at(parts.front()).*field;
}

// Returns the merged detail. For a collective that only some processes recorded, adds the ranks of
// those processes.
StringId JournalMerge::detailOf(const Parts& parts) {
  const Part& first = parts.front();
  const Event& event = at(first);
  if (event.kind == EventKind::Operator) return callDetailOf(parts);
  if (event.kind == EventKind::Result) return resultDetailOf(parts);
  if (event.kind != EventKind::Collective || parts.size() == processes_.size()) {
    return textOf(first.process, event.detail);
  }
  std::pair<StringId, std::vector<std::size_t>> of{textOf(first.process, event.detail), {}};
  for (const auto& part : parts) of.second.push_back(part.process);
  const auto [known, isNew] = details_.try_emplace(std::move(of));
  if (!isNew) return known->second;
  std::vector<int> came;
  for (const auto& part : parts) {
    const auto& hosted = parts_->processes()[part.process].hosted;
    came.insert(came.end(), hosted.begin(), hosted.end());
  }
  std::sort(came.begin(), came.end());
  auto collective = readCollective(processes_[first.process].journal->detail(event));
  collective.only = ranksText({came});
  return known->second = intern(collectiveDetail(collective));
}

// Returns the detail of a Result. A claim or a load that differs between the processes has what
// each of their ranks states or loads.
StringId JournalMerge::resultDetailOf(const Parts& parts) {
  const auto detailOf = [this](const Part& part) { return textOf(part.process, at(part).detail); };
  const StringId first = detailOf(parts.front());
  if (first == 0 || std::all_of(parts.begin(), parts.end(),
                                [&](const Part& part) { return detailOf(part) == first; })) {
    return first;
  }
  std::map<int, std::string_view> byRank;
  for (const auto& part : parts) {
    for (const int rank : parts_->processes()[part.process].hosted) {
      byRank[rank] = journal_.text(detailOf(part));
    }
  }
  const bool isLoad = readPlainRole(journal_.text(first)) == PlainRole::Loaded;
  return intern(isLoad ? joinedLoadDetail(byRank) : joinedClaimDetail(byRank));
}

// Returns the detail of an operator. For one on plain tensors, marks differences between the
// processes: other arguments, or other tensors, as each passes its own part of a split.
StringId JournalMerge::callDetailOf(const Parts& parts) {
  std::vector<StringId> ids;
  for (const auto& part : parts) ids.push_back(textOf(part.process, at(part).detail));
  const StringId first = ids.front();
  if (first == 0) return first;
  const bool differs = std::ranges::any_of(ids, [&](StringId id) { return id != first; });
  const auto mixed = mixedInputs(parts);
  if (!differs && mixed.empty()) return first;
  std::vector<std::string_view> details;
  for (const StringId id : ids) details.push_back(journal_.text(id));
  return intern(joinedCallDetail(details, mixed));
}

// Returns the indices of the inputs for which the processes pass different tensors.
std::vector<std::size_t> JournalMerge::mixedInputs(const Parts& parts) const {
  std::vector<TensorId> known;
  std::vector<std::size_t> mixed;
  for (const auto& [process, id] : parts) {
    const auto inputs = processes_[process].journal->inputs(id);
    known.resize(std::max(known.size(), inputs.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const TensorId its = inputs[i] == 0 ? 0 : parts_->tensors().mergedOf(process, inputs[i]);
      const bool isMixed = known[i] != 0 && its != 0 && its != known[i];
      if (isMixed && std::find(mixed.begin(), mixed.end(), i) == mixed.end()) mixed.push_back(i);
      if (known[i] == 0) known[i] = its;
    }
  }
  return mixed;
}

StringId JournalMerge::ranksOf(const Parts& parts) {
  ranks_.clear();
  for (const auto& part : parts) ranks_.push_back(textOf(part.process, at(part).ranks));
  if (std::ranges::all_of(ranks_, [&](StringId id) { return id == ranks_.front(); })) {
    return ranks_.front();
  }
  if (ranks_ == lastUnion_.first) return lastUnion_.second;
  const auto [known, isNew] = unions_.try_emplace(ranks_);
  lastUnion_ = {ranks_, known->second};
  if (!isNew) return known->second;
  std::vector<RankRange> ranks;
  for (const StringId id : known->first) {
    const auto more = parseRankRanges(journal_.text(id));
    ranks.insert(ranks.end(), more.begin(), more.end());
  }
  return lastUnion_.second = known->second = intern(rangesText(united(std::move(ranks))));
}

// Returns the device of the parts, or 0 if it differs between them.
StringId JournalMerge::deviceOf(const Parts& parts) {
  const auto of = [this](const Part& part) { return textOf(part.process, at(part).device); };
  const StringId first = of(parts.front());
  const bool isOne =
      std::all_of(parts.begin(), parts.end(), [&](const Part& part) { return of(part) == first; });
  return isOne ? first : 0;
}

const std::vector<MergedIds::Named>& JournalMerge::named(const Parts& parts, Field field) {
  named_.clear();
  for (const auto& part : parts) named_.push_back({part.process, at(part).*field});
  return named_;
}

TensorId JournalMerge::tensorOf(const std::vector<MergedIds::Named>& named) {
  const auto found = parts_->tensors().find(named);
  if (found.id <= journal_.tensors() || found.joined.empty()) return found.id;
  const auto& [process, tensor] = found.joined.front();
  const StringId name = textOf(process, processes_[process].journal->nameOf(tensor));
  journal_.onTensor(found.id, name, specOf(found.joined));
  return found.id;
}

// Returns the spec of a tensor that several processes know. If they know it on different submeshes,
// as of mesh["tp"], its mesh has all of them as replicas.
SpecId JournalMerge::specOf(const std::vector<MergedIds::Named>& tensors) {
  std::vector<SpecId> specs;
  for (const auto& [process, tensor] : tensors) {
    const SpecId spec = specOf(process, processes_[process].journal->specOf(tensor));
    if (std::find(specs.begin(), specs.end(), spec) == specs.end()) specs.push_back(spec);
  }
  if (specs.size() == 1) return specs.front();
  const auto [known, isNew] = united_.try_emplace(specs, specs.front());
  if (isNew) known->second = unitedSpec(specs);
  return known->second;
}

// Returns the first spec if the specs differ in more than their meshes.
SpecId JournalMerge::unitedSpec(const std::vector<SpecId>& specs) {
  Spec all = journal_.spec(specs.front());
  std::vector<DeviceMesh> meshes;
  for (const SpecId id : specs) {
    const Spec& spec = journal_.spec(id);
    if (!spec.mesh || spec.meta != all.meta || spec.placements != all.placements) {
      return specs.front();
    }
    meshes.push_back(*spec.mesh);
  }
  auto mesh = DeviceMesh::united(meshes);
  if (!mesh) return specs.front();
  all.mesh = shared(std::move(*mesh));
  return intern(all);
}

std::vector<TensorId> JournalMerge::inputsOf(const Parts& parts) {
  const std::size_t count = at(parts.front()).inputs;
  if (count == 0) return {};
  inputs_.clear();  // of all parts, concatenated
  for (const auto& part : parts) {
    const auto its = processes_[part.process].journal->inputs(part.id);
    inputs_.insert(inputs_.end(), its.begin(), its.end());
  }
  std::vector<TensorId> merged(count);
  for (std::size_t i = 0; i < count; ++i) {
    named_.clear();
    std::size_t first = 0;
    for (const auto& part : parts) {
      const std::size_t its = at(part).inputs;
      named_.push_back({part.process, i < its ? inputs_[first + i] : 0});
      first += its;
    }
    merged[i] = tensorOf(named_);
  }
  return merged;
}

StringId JournalMerge::textOf(std::size_t number, StringId id) {
  if (id == 0) return 0;
  auto& process = processes_[number];
  if (id >= process.strings.size()) process.strings.resize(process.journal->strings() + 1);
  auto& known = process.strings[id];
  if (known == 0) known = intern(process.journal->text(id));
  return known;
}

SpecId JournalMerge::specOf(std::size_t number, SpecId id) {
  auto& process = processes_[number];
  if (id >= process.specs.size()) process.specs.resize(process.journal->specs() + 1);
  auto& known = process.specs[id];
  if (known != 0) return known;
  return known = intern(process.journal->spec(id));
}

RouteId JournalMerge::routeOf(std::size_t number, RouteId id) {
  if (id == 0) return 0;
  auto& process = processes_[number];
  if (id >= process.routes.size()) process.routes.resize(process.journal->routes() + 1);
  auto& known = process.routes[id];
  if (known != 0) return known;
  const Route& route = process.journal->route(id);
  const auto [place, isNew] = routes_.try_emplace(route, journal_.routes() + 1);
  if (isNew) journal_.onRoute(place->second, route);
  return known = place->second;
}

SpecId JournalMerge::intern(const Spec& spec) {
  const auto [place, isNew] = specs_.try_emplace(spec, journal_.specs() + 1);
  if (isNew) journal_.onSpec(place->second, spec);
  return place->second;
}

StringId JournalMerge::intern(std::string_view text) {
  if (text.empty()) return 0;
  const auto known = strings_.find(text);
  if (known != strings_.end()) return known->second;
  const StringId id = journal_.strings() + 1;
  journal_.onString(id, text);
  strings_.emplace(journal_.text(id), id);
  return id;
}

}  // namespace shardlens
