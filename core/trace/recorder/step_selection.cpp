#include "core/trace/recorder/step_selection.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace shardlens {
namespace {

constexpr int kMostStep = std::numeric_limits<int>::max();  // exclusive, so that a successor exists

std::optional<int> stepIn(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool isWhole = error == std::errc() && end == text.data() + text.size();
  return isWhole && number > 0 && number < kMostStep ? std::optional(number) : std::nullopt;
}

}  // namespace

Result<StepSelection> StepSelection::parse(std::string_view text) {
  constexpr std::string_view kEvery = "every=", kTo = "..";
  StepSelection selection;
  for (bool hasMore = true; hasMore;) {
    const auto comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    hasMore = comma != std::string_view::npos;
    if (hasMore) text.remove_prefix(comma + 1);
    if (part.starts_with(kEvery)) {
      if (const auto interval = stepIn(part.substr(kEvery.size()))) {
        selection.intervals_.push_back(*interval);
        continue;
      }
    } else {
      const auto to = part.find(kTo);
      const auto first = stepIn(part.substr(0, to));
      const auto last = to == std::string_view::npos ? first : stepIn(part.substr(to + kTo.size()));
      if (first && last && *first <= *last) {
        selection.ranges_.push_back({*first, *last});
        continue;
      }
    }
    return fail("got \"" + std::string(part) +
                "\", expected a step (7), steps (100..110) or every=50, from 1");
  }
  selection.ranges_ = united(std::move(selection.ranges_));
  return selection;
}

bool StepSelection::has(std::int64_t number) const {
  if (number < 1) return false;
  return contains(ranges_, static_cast<int>(number)) ||
         std::ranges::any_of(intervals_, [&](int each) { return number % each == 0; });
}

}  // namespace shardlens
