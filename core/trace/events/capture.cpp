#include "core/trace/events/capture.h"

#include "core/model/step_number.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace shardlens {

namespace {

constexpr std::array kLevels = {
    std::pair("none", CaptureLevel::None), std::pair("stats", CaptureLevel::Statistics),
    std::pair("hashes", CaptureLevel::Hashes), std::pair("all", CaptureLevel::All)};

std::optional<CaptureLevel> levelNamed(std::string_view name) {
  const auto* found = std::find_if(kLevels.begin(), kLevels.end(),
                                   [name](const auto& level) { return level.first == name; });
  return found == kLevels.end() ? std::nullopt : std::optional(found->second);
}

// Parses "0-3,7" by `parse`. Returns nullopt for any other text.
std::optional<std::vector<RankRange>> numbersIn(std::string_view text,
                                                std::vector<RankRange> (*parse)(std::string_view)) {
  const bool isList = !text.empty() && text.find_first_not_of("0123456789-,") == text.npos;
  auto ranges = isList ? parse(text) : std::vector<RankRange>();
  return ranges.empty() ? std::nullopt : std::optional(std::move(ranges));
}

bool isAmong(const std::vector<RankRange>& ranges, int number) {
  return ranges.empty() || contains(ranges, number);
}

}  // namespace

bool CaptureRule::holds(int step, int rank, std::string_view name) const {
  return isAmong(steps, step) && isAmong(ranks, rank) && (tensor.empty() || tensor == name);
}

Result<CaptureRule> parseCaptureRule(std::string_view text) {
  const auto wordTo = [&text](char end) {
    const auto word = text.substr(0, text.find(end));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    return word;
  };
  const auto name = wordTo(':');
  const auto level = levelNamed(name);
  if (!level) return fail(fmt::format("got {}, expected none, stats, hashes or all", name));
  CaptureRule rule{.level = *level};
  while (!text.empty()) {
    const auto condition = wordTo(':');
    const auto equals = condition.find('=');
    const auto field = condition.substr(0, equals);
    const auto value = equals == condition.npos ? "" : condition.substr(equals + 1);
    if (field == "tensor" && !value.empty()) {
      rule.tensor = value;
      continue;
    }
    const bool isStep = field == "step";
    const auto numbers = numbersIn(value, isStep ? stepIndexes : parseRankRanges);
    if (!numbers || (!isStep && field != "rank")) {
      return fail(fmt::format("got {}, expected step=3-5, rank=0,2 or tensor=NAME", condition));
    }
    (isStep ? rule.steps : rule.ranks) = *numbers;
  }
  return rule;
}

Capture::Capture(CaptureLevel level) {
  if (level != CaptureLevel::None) rules_.push_back({.level = level});
}

Result<Capture> parseCapture(const std::vector<std::string>& texts) {
  std::vector<CaptureRule> rules;
  for (const auto& text : texts) {
    auto rule = parseCaptureRule(text);
    if (!rule) return tl::unexpected(std::move(rule.error()));
    rules.push_back(*std::move(rule));
  }
  return Capture(std::move(rules));
}

bool Capture::keepsAny() const {
  return std::any_of(rules_.begin(), rules_.end(),
                     [](const CaptureRule& rule) { return rule.level != CaptureLevel::None; });
}

CaptureLevel Capture::levelOf(int step, int rank, std::string_view name) const {
  const auto last = std::find_if(rules_.rbegin(), rules_.rend(), [&](const CaptureRule& rule) {
    return rule.holds(step, rank, name);
  });
  return last == rules_.rend() ? CaptureLevel::None : last->level;
}

}  // namespace shardlens
