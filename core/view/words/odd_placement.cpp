#include "core/view/words/odd_placement.h"

#include "core/model/rank_ranges.h"
#include "core/view/words/names.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace shardlens::view {
namespace {

bool isDigit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

// Returns the number between the prefix and the suffix of a name; nullopt if there is none.
std::optional<int> numberIn(std::string_view name, std::string_view prefix,
                            std::string_view suffix) {
  if (name.size() < prefix.size() + suffix.size()) return std::nullopt;
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  const auto digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

// Returns the joined names if they differ only in the number that begins at `at` of the first.
std::optional<std::string> joinedAt(const std::vector<std::string>& names, std::size_t at) {
  const std::string_view first = names.front();
  std::size_t end = at;
  while (end < first.size() && isDigit(first[end])) ++end;
  const auto prefix = first.substr(0, at), suffix = first.substr(end);
  std::vector<RankRange> numbers;
  for (const auto& name : names) {
    const auto number = numberIn(name, prefix, suffix);
    if (!number) return std::nullopt;
    numbers.push_back({*number, *number});
  }
  return std::string(prefix) + rangesText(united(std::move(numbers))) + std::string(suffix);
}

}  // namespace

std::string joinedNames(const std::vector<std::string>& names) {
  if (names.size() == 1) return names.front();
  const std::string& first = names.front();
  for (std::size_t at = 0; at < first.size(); ++at) {
    const bool isStart = isDigit(first[at]) && (at == 0 || !isDigit(first[at - 1]));
    if (const auto joined = isStart ? joinedAt(names, at) : std::nullopt) return *joined;
  }
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() <= kMost ? text : text + fmt::format(" and {} more", names.size() - kMost);
}

std::string oddPlacementText(const Journal& journal, const OddPlacement& odd, Notation notation) {
  const auto placed = [&](TensorId id) {
    return PlacementWords(journal, notation).of(journal.tensor(id));
  };
  return fmt::format("{} is {}, {} {} {}", tensorName(journal, odd.tensor), placed(odd.tensor),
                     joinedNames(odd.others), odd.others.size() == 1 ? "is" : "are",
                     placed(odd.other));
}

}  // namespace shardlens::view
