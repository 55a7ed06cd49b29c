#include "core/loading/local_values.h"

#include "core/checkpoints/element_runs.h"
#include "core/checkpoints/input/bad_checkpoint.h"
#include "core/model/spec.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardlens {
namespace {

// Returns the row-major index of an element of a box in a tensor of this shape.
std::int64_t indexIn(const Shape& whole, const Shape& box, const Extents& offsets,
                     std::int64_t element) {
  std::int64_t index = 0, stride = 1;
  for (std::size_t dim = whole.size(); dim-- > 0;) {
    index += (offsets[dim] + element % box[dim]) * stride;
    element /= box[dim];
    stride *= whole[dim];
  }
  return index;
}

}  // namespace

std::optional<Elements> recordedElements(const Journal& journal, TensorId tensor, EventId event,
                                         int rank) {
  const DType dtype = journal.tensor(tensor).dtype;
  const auto value = journal.value(tensor, rank, event);
  if (!value || value->event != event || isComplex(dtype)) return std::nullopt;
  const auto bytes = value->level == CaptureLevel::All ? journal.elements(*value) : nullptr;
  if (bytes == nullptr) return std::nullopt;
  Elements elements{value->shape,
                    std::vector<double>(static_cast<std::size_t>(elementCount(value->shape)))};
  for (std::size_t i = 0; i < elements.values.size(); ++i) {
    elements.values[i] = elementAt(dtype, bytes->data(), static_cast<std::int64_t>(i));
  }
  return elements;
}

Result<Elements> storedElements(OpenFiles& files, const CheckpointTensor& tensor) {
  constexpr std::int64_t kMost = std::int64_t{1} << 24;
  const auto count = elementsOf(tensor.shape);
  if (!count || *count > kMost) return fail(fmt::format("more than {} elements", kMost));
  if (tensor.type->kind == ElementType::Kind::Complex) return fail("complex numbers");
  Elements elements{tensor.shape, std::vector<double>(static_cast<std::size_t>(*count))};
  std::vector<bool> isRead(elements.values.size());
  try {
    for (const Slice& slice : tensor.slices) {
      SliceReader reader(files, tensor, slice);
      forEachRun(slice.box, reader.mostElements(), [&](const Extents& index, std::int64_t run) {
        const std::byte* const bytes = reader.run(index, run);
        const auto first = static_cast<std::size_t>(indexIn(tensor.shape, tensor.shape, index, 0));
        for (std::size_t i = 0; i < static_cast<std::size_t>(run); ++i) {
          const auto size = static_cast<std::size_t>(tensor.type->size);
          elements.values[first + i] =
              static_cast<double>(elementValue(*tensor.type, bytes + i * size).real());
          isRead[first + i] = true;
        }
        return true;
      });
    }
  } catch (const BadCheckpoint& bad) {
    return fail(bad.what());
  }
  if (std::find(isRead.begin(), isRead.end(), false) != isRead.end()) {
    return fail("the checkpoint lacks elements of it");
  }
  return elements;
}

std::optional<std::int64_t> BoxSearch::firstDifference(const Elements& local,
                                                       const Extents& offsets) {
  for (std::size_t i = 0; i < local.values.size(); ++i) {
    const double here = local.values[i];
    const double stored = at(local.shape, offsets, static_cast<std::int64_t>(i));
    const bool isSame = here == stored || (std::isnan(here) && std::isnan(stored)) ||
                        std::abs(here - stored) <= unit_ * std::abs(stored);
    ++compared_;
    if (!isSame) return static_cast<std::int64_t>(i);
  }
  return std::nullopt;
}

std::optional<Extents> BoxSearch::find(const Elements& local) {
  const auto& values = local.values;
  if (values.empty() || std::count(values.begin(), values.end(), values.front()) ==
                            static_cast<std::ptrdiff_t>(values.size())) {
    return std::nullopt;
  }
  Box starts = wholeOf(whole_.shape);
  for (std::size_t dim = 0; dim < local.shape.size(); ++dim) {
    starts.sizes[dim] -= local.shape[dim] - 1;
    if (starts.sizes[dim] <= 0) return std::nullopt;
  }
  constexpr std::int64_t kMost = std::int64_t{1} << 28;
  std::optional<Extents> found;
  compared_ = 0;
  forEachRun(starts, 1, [&](const Extents& offsets, std::int64_t) {
    if (!firstDifference(local, offsets)) found = offsets;
    return !found && compared_ < kMost;
  });
  return found;
}

double BoxSearch::at(const Shape& box, const Extents& offsets, std::int64_t index) const {
  return whole_.values[static_cast<std::size_t>(indexIn(whole_.shape, box, offsets, index))];
}

}  // namespace shardlens
