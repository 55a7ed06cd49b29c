#include "core/checkpoints/checkpoint_differences.h"

#include "core/checkpoints/checkpoint_check.h"
#include "core/checkpoints/element_runs.h"
#include "core/checkpoints/input/bad_checkpoint.h"
#include "core/checkpoints/slice_reader.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace shardlens {
namespace {

// A tensor of one checkpoint, and the readers of its slices.
class Side {
 public:
  Side(OpenFiles& files, const CheckpointTensor& tensor) : files_(files), tensor_(tensor) {}

  const CheckpointTensor& tensor() const { return tensor_; }
  const Checkpoint& checkpoint() const { return files_.checkpoint(); }
  const ElementType& type() const { return *tensor_.type; }
  const std::vector<Slice>& slices() const { return tensor_.slices; }
  std::string text(std::size_t slice) const {
    return sliceText(files_.checkpoint(), tensor_, tensor_.slices[slice]);
  }
  std::string file(std::size_t slice) const {
    return files_.checkpoint().files[tensor_.slices[slice].file].name;
  }
  // Valid until the next call. Throws BadCheckpoint.
  SliceReader& reader(std::size_t slice) {
    constexpr std::size_t kMostReaders = 128;
    auto& found = readers_[slice];
    if (found != nullptr) return *found;
    if (readers_.size() > kMostReaders) readers_.clear();
    return *(readers_[slice] =
                 std::make_unique<SliceReader>(files_, tensor_, tensor_.slices[slice]));
  }

 private:
  OpenFiles& files_;
  const CheckpointTensor& tensor_;
  std::map<std::size_t, std::unique_ptr<SliceReader>> readers_;
};

Extents plus(Extents index, const Extents& add, const Extents& subtract) {
  for (std::size_t dim = 0; dim < index.size(); ++dim) index[dim] += add[dim] - subtract[dim];
  return index;
}

// Reads a slice of `a` and the elements of `b` at `aim`, in step. Calls visit(index in b, elements
// of a, elements of b, count, slice of b) until it returns false. Returns the number of elements
// visited. Throws BadCheckpoint.
template <class Visit>
std::int64_t visitPairs(Side& a, std::size_t slice, const Extents& aim, Side& b, Visit visit) {
  const Box& box = a.slices()[slice].box;
  const Box aimed{aim, box.sizes};
  std::int64_t visited = 0;
  for (std::size_t other = 0; other < b.slices().size(); ++other) {
    const auto common = intersection(aimed, b.slices()[other].box);
    if (!common) continue;
    SliceReader &readA = a.reader(slice), &readB = b.reader(other);
    const bool isDone =
        forEachRun(*common, std::min(readA.mostElements(), readB.mostElements()),
                   [&](const Extents& index, std::int64_t count) {
                     const std::byte* const left = readA.run(plus(index, box.offsets, aim), count);
                     visited += count;
                     return visit(index, left, readB.run(index, count), count, other);
                   });
    if (!isDone) break;
  }
  return visited;
}

// Compares one tensor.
class TensorComparison {
 public:
  TensorComparison(Side left, Side right, CheckpointComparison& result)
      : left_(std::move(left)), right_(std::move(right)), result_(result) {
    values_.kind = "values";
    values_.tensor = left_.tensor().name;
  }

  void run() {
    std::int64_t compared = 0;
    std::vector<std::size_t> different;
    for (std::size_t slice = 0; slice < left_.slices().size(); ++slice) {
      const std::int64_t before = values_.count;
      try {
        compared += compareSlice(slice);
      } catch (const BadCheckpoint& bad) {
        if (whyNot_.empty()) whyNot_ = bad.what();
      }
      if (values_.count > before) different.push_back(slice);
    }
    result_.elements += compared;
    if (values_.count > 0) reportValues(compared);
    if (!reportMoved(left_, different, right_)) {
      reportMoved(right_, std::vector<std::size_t>(differentRight_.begin(), differentRight_.end()),
                  left_);
    }
    const std::int64_t total = *elementsOf(left_.tensor().shape);
    if (compared < total) {
      report({.kind = "not-compared",
              .tensor = left_.tensor().name,
              .sentence =
                  fmt::format("{}: {} of {} elements are not compared: {}", left_.tensor().name,
                              total - compared, total,
                              whyNot_.empty() ? "a checkpoint does not contain them" : whyNot_),
              .count = total - compared});
    }
  }

 private:
  void report(CheckpointDifference difference) {
    result_.differences.push_back(std::move(difference));
  }

  std::int64_t compareSlice(std::size_t slice) {
    const auto sizeA = left_.type().size, sizeB = right_.type().size;
    return visitPairs(left_, slice, left_.slices()[slice].box.offsets, right_,
                      [&](const Extents& index, const std::byte* a, const std::byte* b,
                          std::int64_t count, std::size_t other) {
                        forEachDifference(
                            left_.type(), a, right_.type(), b, count, [&](std::int64_t i) {
                              differentRight_.insert(other);
                              take(index, i, a + i * sizeA, b + i * sizeB, slice, other);
                            });
                        return true;
                      });
  }

  void take(const Extents& runIndex, std::int64_t i, const std::byte* a, const std::byte* b,
            std::size_t slice, std::size_t other) {
    Extents index = runIndex;
    if (!index.empty()) index.back() += i;
    if (values_.count++ == 0 || index < values_.first) {
      values_.first = index;
      values_.left = elementText(left_.type(), a);
      values_.right = elementText(right_.type(), b);
      values_.files = {left_.file(slice), right_.file(other)};
      where_ = fmt::format("{} and {}", left_.text(slice), right_.text(other));
    }
    const auto distance = static_cast<double>(
        std::abs(elementValue(left_.type(), a) - elementValue(right_.type(), b)));
    values_.largest = std::isnan(distance) ? std::numeric_limits<double>::infinity()
                                           : std::max(values_.largest, distance);
  }

  void reportValues(std::int64_t compared) {
    values_.sentence = fmt::format(
        "{}: {} of {} elements differ, at most by {:.6g}; the first is {}: {} and {}, in {}",
        values_.tensor, values_.count, compared, values_.largest, extentsText(values_.first),
        values_.left, values_.right, where_);
    report(values_);
  }

  // Reports slices of `a` whose elements are those of another place of `b`. Only places of other
  // slices of `a` are tried. Returns true if there are any.
  bool reportMoved(Side& a, const std::vector<std::size_t>& different, Side& b) {
    constexpr std::size_t kMostPlaces = 4096;
    bool isFound = false;
    for (const std::size_t slice : different) {
      const Box& box = a.slices()[slice].box;
      for (std::size_t other = 0; other < std::min(a.slices().size(), kMostPlaces); ++other) {
        const Box& place = a.slices()[other].box;
        if (other == slice || place.sizes != box.sizes || !isEqual(a, slice, place, b)) continue;
        report({.kind = "moved",
                .tensor = a.tensor().name,
                .sentence = fmt::format("{} of {} contains the elements that {} has at {}",
                                        a.text(slice), a.checkpoint().path.string(),
                                        b.checkpoint().path.string(), boxText(place)),
                .count = volume(box),
                .where = box,
                .files = {a.file(slice)}});
        isFound = true;
        break;
      }
    }
    return isFound;
  }

  static bool isEqual(Side& a, std::size_t slice, const Box& place, Side& b) {
    bool isSame = true, isConstant = true;
    std::vector<std::byte> first;
    try {
      const auto visited = visitPairs(a, slice, place.offsets, b,
                                      [&](const Extents&, const std::byte* left,
                                          const std::byte* right, std::int64_t count, std::size_t) {
                                        forEachDifference(a.type(), left, b.type(), right, count,
                                                          [&](std::int64_t) { isSame = false; });
                                        if (first.empty()) first.assign(left, left + a.type().size);
                                        for (std::int64_t i = 0; isConstant && i < count; ++i) {
                                          isConstant = std::equal(first.begin(), first.end(),
                                                                  left + i * a.type().size);
                                        }
                                        return isSame;
                                      });
      return isSame && !isConstant && visited == volume(place);
    } catch (const BadCheckpoint&) {
      return false;
    }
  }

  Side left_, right_;
  CheckpointComparison& result_;
  CheckpointDifference values_;
  std::string where_;  // the slices of the first difference
  std::set<std::size_t> differentRight_;
  std::string whyNot_;  // the first reason why a slice was not compared
};

}  // namespace

CheckpointComparison compareCheckpoints(const Checkpoint& left, const Checkpoint& right) {
  CheckpointComparison result;
  const auto report = [&](const char* kind, const std::string& tensor, const std::string& what) {
    result.differences.push_back(
        {.kind = kind, .tensor = tensor, .sentence = tensor + ": " + what});
  };
  OpenFiles leftFiles(left), rightFiles(right);
  for (const auto& tensor : left.tensors) {
    const CheckpointTensor* const other = right.find(tensor.name);
    if (other == nullptr) {
      report("only-left", tensor.name, "only in " + left.path.string());
      continue;
    }
    ++result.tensors;
    if (tensor.shape != other->shape) {
      report("shape", tensor.name,
             fmt::format("the shapes are {} and {}", extentsText(tensor.shape),
                         extentsText(other->shape)));
      continue;
    }
    if (tensor.type != other->type) {
      report("dtype", tensor.name,
             fmt::format("the dtypes are {} and {}", tensor.type->name, other->type->name));
    }
    TensorComparison({leftFiles, tensor}, {rightFiles, *other}, result).run();
  }
  for (const auto& tensor : right.tensors) {
    if (left.find(tensor.name) == nullptr) {
      report("only-right", tensor.name, "only in " + right.path.string());
    }
  }
  return result;
}

}  // namespace shardlens
