#include "core/query/problems/finite_values.h"

#include "core/model/operator_words.h"
#include "core/model/placement.h"
#include "core/query/language/event_around.h"
#include "core/query/problems/rules/last_writes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace shardlens {

namespace {

// Returns true for operators that write numbers which the caller gives, as masked_fill does.
bool isFilling(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames = {"fill",  "full", "where",
                                                      "_pad_", "put",  "scalar_tensor"};
  return std::ranges::any_of(kNames,
                             [&](auto part) { return name.find(part) != std::string_view::npos; });
}

bool hasInfinity(const Statistics& statistics) {
  return std::isinf(statistics.min) || std::isinf(statistics.max);
}

// Returns true for pending maxima and minima: a rank without elements has -inf or inf.
bool isPendingExtreme(const Placements& placements) {
  return std::ranges::any_of(placements, [](const Placement& placement) {
    const auto* partial = std::get_if<Partial>(&placement);
    return partial != nullptr && (partial->op == ReduceOp::Max || partial->op == ReduceOp::Min);
  });
}

}  // namespace

bool isFinite(const Statistics& statistics) {
  return statistics.nans == 0 && !hasInfinity(statistics);
}

void FiniteValues::take(EventId id, const Event& event) {
  seen_ = id;
  if (event.kind == EventKind::Result && event.subject != 0) results_.push_back(id);
  if (seen_ - judged_ < 2 * delay_) return;
  judgeUntil(seen_ - delay_, state_);
  judged_ = seen_ - delay_;
  while (!results_.empty() && results_.front() <= judged_) results_.pop_front();
}

FiniteValues::Findings FiniteValues::findings() const {
  State state = state_;
  judgeUntil(seen_, state);
  return state.findings;
}

void FiniteValues::judgeUntil(EventId last, State& state) const {
  const auto& values = journal_.values();
  if (values.size() == 0) return;
  const auto nans = values.eventsWithNans(judged_, last);
  std::vector<EventId> all(results_.begin(), std::ranges::upper_bound(results_, last));
  const auto middle = static_cast<std::ptrdiff_t>(all.size());
  all.insert(all.end(), nans.begin(), nans.end());
  std::inplace_merge(all.begin(), all.begin() + middle, all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (const EventId id : all) judge(id, std::ranges::binary_search(nans, id), state);
}

void FiniteValues::judge(EventId id, bool hasNan, State& state) const {
  const Event event = journal_.at(id);
  if (event.subject == 0) return;
  if (state.unwritten.follow(journal_, id)) return;
  const Origins sources = sourcesOf(id, state);
  if (hasNan) {
    if (sources.nan == 0) judgeNan(id, sources, state);
    state.of[event.subject].nan = sources.nan == 0 ? id : sources.nan;
  }
  if (event.kind != EventKind::Result) return;
  state.unwritten.write(event.subject);
  if (sources.infinity == 0) {
    judgeInfinity(id, sources.allocation, state);
  } else if (hasInfinityAt(id)) {
    state.of[event.subject].infinity = sources.infinity;
  }
  if (state.of.contains(event.subject) && isFiniteAt(id)) state.of.erase(event.subject);
}

void FiniteValues::judgeNan(EventId id, const Origins& sources, State& state) const {
  const EventId infinity = sources.infinity;
  const TensorId tensor = journal_.at(id).subject;
  NotFinite found{.event = id, .isGiven = isGiven(id), .other = infinity};
  if (infinity == 0 && sources.allocation != 0) {
    found = {.event = sources.allocation, .reader = id};
  }
  for (const int rank : journal_.values().ranksOf(tensor)) {
    const auto value = journal_.value(tensor, rank, id);
    if (value && value->statistics.nans != 0) found.ranks.push_back(rank);
  }
  state.findings.nans.push_back(found);
  for (auto& each : state.findings.infinities) {
    if (each.event == infinity && each.other == 0) each.other = id;
  }
}

void FiniteValues::judgeInfinity(EventId id, EventId allocation, State& state) const {
  const TensorId tensor = journal_.at(id).subject;
  std::vector<int> ranks;
  bool isNegative = false;
  for (const int rank : journal_.values().ranksOf(tensor)) {
    const auto value = journal_.value(tensor, rank, id);
    if (!value || !hasInfinity(value->statistics)) continue;
    const double min = value->statistics.min;
    isNegative |= std::isinf(min) && min < 0;
    ranks.push_back(rank);
  }
  if (ranks.empty()) return;
  const EventId origin = allocation == 0 ? id : allocation;
  state.of[tensor].infinity = origin;
  if (tensor > journal_.tensors() || isPendingExtreme(journal_.tensor(tensor).placements)) return;
  state.findings.infinities.push_back({.event = origin,
                                       .ranks = std::move(ranks),
                                       .isNegative = isNegative,
                                       .isGiven = allocation != 0 || isGiven(id)});
}

bool FiniteValues::isGiven(EventId id) const {
  if (aroundOf(journal_, id, EventKind::Redistribute) != 0) return false;
  const EventId call = aroundOf(journal_, id, EventKind::Operator);
  return call == 0 || isFilling(journal_.name(journal_.at(call)));
}

// Returns true if the operator writes all of the event's tensor without reading it.
bool FiniteValues::overwrites(EventId id) const {
  const EventId call = aroundOf(journal_, id, EventKind::Operator);
  const std::string_view name = call == 0 ? std::string_view() : journal_.name(journal_.at(call));
  return isSetter(wordOf(name)) || name.ends_with("out") || isFilling(name);
}

// Returns true if the newest values of the event's tensor are finite on all ranks.
bool FiniteValues::isFiniteAt(EventId id) const {
  const TensorId tensor = journal_.at(id).subject;
  return std::ranges::all_of(journal_.values().ranksOf(tensor), [&](int rank) {
    const auto value = journal_.value(tensor, rank, id);
    return !value || isFinite(value->statistics);
  });
}

// Returns true if the newest value of the event's tensor has an infinity on a rank.
bool FiniteValues::hasInfinityAt(EventId id) const {
  const TensorId tensor = journal_.at(id).subject;
  return std::ranges::any_of(journal_.values().ranksOf(tensor), [&](int rank) {
    const auto value = journal_.value(tensor, rank, id);
    return value && hasInfinity(value->statistics);
  });
}

// Returns the origins of the tensors that an event's result was made from, and of the tensor
// itself, which an in-place operator reads.
FiniteValues::Origins FiniteValues::sourcesOf(EventId id, const State& state) const {
  Origins all;
  const TensorId written = overwrites(id) ? journal_.at(id).subject : 0;
  const auto add = [&](TensorId tensor) {
    const EventId allocation = tensor == written ? 0 : state.unwritten.allocationOf(tensor);
    if (allocation != 0) all.allocation = allocation;
    const auto known = state.of.find(tensor);
    if (known == state.of.end()) return;
    if (all.nan == 0) all.nan = known->second.nan;
    if (all.infinity == 0) all.infinity = known->second.infinity;
  };
  add(journal_.at(id).subject);
  for (const TensorId input : inputsOf(journal_, id)) add(input);
  return all;
}

}  // namespace shardlens
