#include "core/inference/contents.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace shardlens {
namespace {

struct Shown {
  ValueRecord value;
  Content elements;
};

std::optional<Shown> shownOn(const Journal& journal, TensorId tensor, EventId event, int rank) {
  auto value = journal.value(tensor, rank, event);
  if (!value || value->event != event) return std::nullopt;
  auto elements = journal.elements(*value);
  if (elements == nullptr) return std::nullopt;
  return Shown{std::move(*value), std::move(elements)};
}

std::size_t elementSize(const Shown& shown) {
  const auto count = elementCount(shown.value.shape);
  return count == 0 ? 0 : shown.elements->size() / static_cast<std::size_t>(count);
}

bool isConstant(const Shown& shown) {
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

std::optional<ContentDifference> differenceOf(DType dtype, const Shown& a, const Shown& b) {
  ContentDifference found{.first = a.value.rank, .second = b.value.rank, .index = -1};
  if (a.value.shape != b.value.shape) return found;
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
      if (other->value.shape == first->value.shape && *other->elements == *first->elements) {
        continue;
      }
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

}  // namespace shardlens
