#include "core/view/words/detail_words.h"

#include "core/base/text.h"
#include "core/model/byte_count.h"
#include "core/plan/planner.h"
#include "core/view/words/names.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

#include <algorithm>

namespace shardlens::view {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string costText(const CandidateRecord& candidate) {
  if (!candidate.bytes || *candidate.bytes < 0) return {};
  return *candidate.bytes == 0 ? "sends nothing"
                               : "each rank receives " + byteCountText(*candidate.bytes);
}

}  // namespace

std::string groupsText(std::string_view ranks) {
  constexpr std::size_t kMostGroups = 16, kMostLetters = 80;
  const auto groups = split(ranks, '|');
  std::string text;
  for (std::size_t i = 0; i < std::min(groups.size(), kMostGroups); ++i) {
    auto group = groups[i];
    if (group.size() > kMostLetters) group.resize(group.rfind(',', kMostLetters) + 1);
    text += (i == 0 ? "{" : " {") + group + (group.size() < groups[i].size() ? "...}" : "}");
  }
  const auto left = groups.size() - std::min(groups.size(), kMostGroups);
  return left == 0 ? text : text + " and " + plural(static_cast<std::int64_t>(left), "more group");
}

std::string missText(const CacheLookup& lookup) {
  if (lookup.entries == 0) return "the cache is empty";
  if (!lookup.isCompared) return {};
  std::string text;
  for (const auto& [field, here, there] : lookup.differs) {
    text +=
        (text.empty() ? "the nearest entry has " : ", ") + field + " " + there + ", not " + here;
  }
  if (!text.empty()) return text;
  return fmt::format("no similar entry among {} {}", lookup.entries,
                     lookup.entries == 1 ? "entry" : "entries");
}

std::string listedText(const std::vector<RecordedPlacements>& list, const PlacementWords& words) {
  std::vector<std::string> texts;
  for (const auto& placements : list) texts.push_back(words.of(placements));
  return joined(texts);
}

std::string chosenText(const CandidatesRecord& record, const PlacementWords& words) {
  if (record.candidates.empty()) return {};
  const CandidateRecord& chosen = record.candidates.front();
  std::string text = ": " + listedText(chosen.inputs, words) + " -> ";
  text += chosen.outputs.empty() ? "?" : listedText(chosen.outputs, words);
  const auto cost = costText(chosen);
  return cost.empty() ? text : text + ", " + cost;
}

std::string rivalsText(const CandidatesRecord& record) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> rivals;
  const auto& candidates = record.candidates;
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    const auto cost = costText(candidates[i]);
    const std::string name = candidates[i].name.empty() ? "?" : candidates[i].name;
    const auto rival = cost.empty() ? name : name + " (" + cost + ")";
    if (std::find(rivals.begin(), rivals.end(), rival) == rivals.end()) rivals.push_back(rival);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(rivals.size(), kNamed); ++i) {
    text += (i == 0 ? "" : ", ") + rivals[i];
  }
  return rivals.size() > kNamed ? text + ", ..." : text;
}

std::string holdersText(const BufferState& buffer) {
  return buffer.holders.empty() ? "none" : joined(buffer.holders);
}

std::string boundText(const CheckRecord& check) {
  if (check.bound.empty()) return {};
  return check.bound == "0" ? "must be equal" : "rounding explains " + check.bound;
}

std::string differenceText(const CheckRecord& check) {
  if (check.largest.empty()) return check.why.empty() ? "" : ": " + check.why;
  const bool isFinite = check.largest != "nan" && check.largest != "inf";
  const std::string bound = check.bound.empty() ? "" : ", " + boundText(check);
  return fmt::format(
      "{}{} on rank {}: got {}, expected {}{}",
      isFinite ? fmt::format(" by {} (relative {})", check.largest, check.relative) : "",
      check.at.empty() ? "" : " at " + toText(check.at), check.rank, check.got, check.expected,
      bound);
}

double microsecondsOf(const PlanRecord& plan) {
  double sum = 0;
  for (const auto& step : plan.steps) sum += step.microseconds;
  return sum;
}

std::string moveText(const PlanStepRecord& step) {
  return step.axis.empty() ? step.move : step.move + " over " + step.axis;
}

std::string stepText(const PlanStepRecord& step, const PlacementWords& words) {
  const std::string to = words.along(step.meshDims, step.to), after = words.of(step.after);
  std::string text = moveText(step) + ": " + words.along(step.meshDims, step.from) + " -> " + to;
  const bool isWhole = step.after.isEmpty() || step.after == step.to || after == to;
  if (!isWhole) text += ", now " + after;
  if (step.bytes > 0)
    text +=
        ", receives " + estimatedBytesText(step.bytes) + ", " + microsecondsText(step.microseconds);
  return text;
}

std::string alternativeName(const AlternativeRecord& alternative, const PlacementWords& words) {
  return alternative.via.empty() ? alternative.name
                                 : "via " + words.of(RecordedPlacements(alternative.via));
}

// "via ..." repeats the steps, so it is omitted.
std::string alternativeText(const AlternativeRecord& alternative, const PlacementWords& words) {
  const std::string who = parsePlanner(alternative.name) ? alternative.name + "'s "
                          : alternative.via.empty()      ? alternative.name + " along "
                                                         : "";
  return fmt::format(
      "{}{}: {} {}, receives {}, {}, holds {}", who, words.of(alternative.route),
      alternative.collectives, alternative.collectives == 1 ? "collective" : "collectives",
      estimatedBytesText(alternative.bytes), microsecondsText(alternative.microseconds),
      estimatedBytesText(alternative.peak));
}

}  // namespace shardlens::view
