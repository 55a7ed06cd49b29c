#include "core/inference/contents.h"

#include "core/trace/events/element_hash.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace shardlens {
namespace {

struct Shown {
  ValueRecord value;
  Content elements;  // null: only statistics, or these and a hash, were recorded
};

std::optional<Shown> shownOn(const Journal& journal, TensorId tensor, EventId event, int rank) {
  auto value = journal.value(tensor, rank, event);
  if (!value || value->event != event) return std::nullopt;
  auto elements = value->level == CaptureLevel::All ? journal.elements(*value) : nullptr;
  if (elements == nullptr && value->level == CaptureLevel::All) return std::nullopt;
  return Shown{std::move(*value), std::move(elements)};
}

std::size_t elementSize(const Shown& shown) {
  const auto count = elementCount(shown.value.shape);
  return count == 0 ? 0 : shown.elements->size() / static_cast<std::size_t>(count);
}

bool isConstant(const Shown& shown) {
  const auto& known = shown.value.statistics;
  if (shown.elements == nullptr) return known.min == known.max;
  const auto size = elementSize(shown);
  const auto& bytes = *shown.elements;
  for (std::size_t at = size; at < bytes.size(); at += size) {
    if (std::memcmp(bytes.data(), bytes.data() + at, size) != 0) return false;
  }
  return true;
}

// Values of more than half of a type's digits in common may be the same sum in another order.
bool isRounding(double a, double b) {
  constexpr double kRelative = 1e-3, kAbsolute = 1e-7;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= kAbsolute + kRelative * std::max(std::abs(a), std::abs(b));
}

std::optional<std::uint64_t> hashOf(const Shown& shown) {
  if (shown.elements != nullptr) return elementHash(*shown.elements);
  return shown.value.level == CaptureLevel::Hashes ? std::optional(shown.value.hash) : std::nullopt;
}

// Compares values of which only statistics and hashes are recorded. The difference is that of the
// means, if these differ, else of the smallest or the largest element.
std::optional<ContentDifference> statisticalDifference(const Shown& a, const Shown& b) {
  constexpr double kRelative = 1e-3;  // to the largest element, because a mean may be close to 0
  const auto hash = hashOf(a), other = hashOf(b);
  const bool haveHashes = hash && other;
  if (haveHashes && *hash == *other) return std::nullopt;
  const auto& first = a.value.statistics;
  const auto& second = b.value.statistics;
  const double scale = std::max(
      {std::abs(first.min), std::abs(first.max), std::abs(second.min), std::abs(second.max)});
  // Hashes show that elements differ. Rounding changes each of n elements in either direction, so
  // it changes their mean by less, by the square root of n.
  const auto count = static_cast<double>(std::max<std::int64_t>(1, elementCount(a.value.shape)));
  const double ofMean = haveHashes ? kRelative / std::sqrt(count) : kRelative;
  const bool isOfNumbers = haveHashes && first.nans != second.nans;
  for (const auto member : {&Statistics::mean, &Statistics::min, &Statistics::max}) {
    const double allowed = member == &Statistics::mean ? ofMean : kRelative;
    const bool differs = std::abs(first.*member - second.*member) > allowed * scale;
    if (!differs && !isOfNumbers) continue;
    return ContentDifference{
        a.value.rank, b.value.rank,
        haveHashes ? ContentDifference::kHashes : ContentDifference::kStatistics, first.*member,
        second.*member};
  }
  return std::nullopt;
}

// Returns true if the elements or their hashes are equal, or if all statistics are and there are
// neither.
bool isSame(const Shown& a, const Shown& b) {
  if (a.value.shape != b.value.shape) return false;
  if (a.elements == nullptr || b.elements == nullptr) {
    const auto hash = hashOf(a), other = hashOf(b);
    return hash && other ? *hash == *other : a.value.statistics == b.value.statistics;
  }
  return *a.elements == *b.elements;
}

std::optional<ContentDifference> differenceOf(DType dtype, const Shown& a, const Shown& b) {
  ContentDifference found{.first = a.value.rank, .second = b.value.rank, .index = -1};
  if (a.value.shape != b.value.shape) return found;
  if (a.elements == nullptr || b.elements == nullptr) return statisticalDifference(a, b);
  for (std::int64_t i = 0; i < elementCount(a.value.shape); ++i) {
    found.firstValue = elementAt(dtype, a.elements->data(), i);
    found.secondValue = elementAt(dtype, b.elements->data(), i);
    found.index = i;
    if (!isRounding(found.firstValue, found.secondValue)) return found;
  }
  return std::nullopt;
}

}  // namespace

Likeness compareContents(const Journal& journal, TensorId tensor, EventId event,
                         const RankAxis& axis) {
  const DType dtype = journal.tensor(tensor).dtype;
  bool isInformative = false, isEqual = true;
  for (const auto& group : axis.groups) {
    const auto first = shownOn(journal, tensor, event, group.front());
    if (!first) return Likeness::Unknown;
    isInformative |= !isConstant(*first);
    for (std::size_t i = 1; i < group.size(); ++i) {
      const auto other = shownOn(journal, tensor, event, group[i]);
      if (!other) return Likeness::Unknown;
      if (isSame(*first, *other)) continue;
      isEqual = false;
      if (differenceOf(dtype, *first, *other)) return Likeness::Different;
    }
  }
  if (!isEqual) return Likeness::Close;
  return isInformative ? Likeness::Equal : Likeness::Unknown;
}

std::optional<ContentDifference> firstDifference(const Journal& journal, TensorId tensor,
                                                 EventId event, const RankAxis& axis) {
  const DType dtype = journal.tensor(tensor).dtype;
  for (const auto& group : axis.groups) {
    const auto first = shownOn(journal, tensor, event, group.front());
    if (!first) return std::nullopt;
    for (std::size_t i = 1; i < group.size(); ++i) {
      const auto other = shownOn(journal, tensor, event, group[i]);
      if (!other) return std::nullopt;
      if (auto found = differenceOf(dtype, *first, *other)) return found;
    }
  }
  return std::nullopt;
}

std::optional<ContentDifference> firstCopy(const Journal& journal, TensorId tensor, EventId event,
                                           const RankAxis& axis) {
  const DType dtype = journal.tensor(tensor).dtype;
  for (const auto& group : axis.groups) {
    std::vector<Shown> seen;
    for (const int rank : group) {
      auto shown = shownOn(journal, tensor, event, rank);
      if (!shown || !hashOf(*shown) || isConstant(*shown)) continue;
      const auto same = std::find_if(seen.begin(), seen.end(),
                                     [&](const Shown& other) { return isSame(other, *shown); });
      if (same != seen.end()) {
        const bool hasElements = shown->elements != nullptr;
        const double value = hasElements ? elementAt(dtype, shown->elements->data(), 0)
                                         : shown->value.statistics.mean;
        return ContentDifference{same->value.rank, rank,
                                 hasElements ? 0 : ContentDifference::kHashes, value, value};
      }
      seen.push_back(std::move(*shown));
    }
  }
  return std::nullopt;
}

}  // namespace shardlens
