#include "core/checkpoints/checkpoint_check.h"

#include "core/checkpoints/element_runs.h"
#include "core/checkpoints/input/bad_checkpoint.h"
#include "core/checkpoints/slice_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace shardlens {
namespace {

constexpr std::size_t kMostOfTensor = 20;  // problems of one kind

// Checks one checkpoint.
class Checker {
 public:
  explicit Checker(Checkpoint& checkpoint) : checkpoint_(checkpoint), files_(checkpoint) {}

  void run() {
    for (const CheckpointTensor& tensor : checkpoint_.tensors) {
      checkCoverage(tensor);
      checkContent(tensor);
    }
    checkBytes();
  }

 private:
  void report(const char* kind, const CheckpointTensor& tensor, std::string sentence,
              const Box& where, std::vector<std::string> files = {}) {
    checkpoint_.addProblem({.kind = kind,
                            .tensor = tensor.name,
                            .sentence = std::move(sentence),
                            .where = where,
                            .files = std::move(files)});
  }
  std::string text(const CheckpointTensor& tensor, const Slice& slice) const {
    return sliceText(checkpoint_, tensor, slice);
  }
  std::string fileOf(const Slice& slice) const { return checkpoint_.files[slice.file].name; }

  void checkCoverage(const CheckpointTensor& tensor) {
    std::vector<Box> boxes;
    std::int64_t covered = 0;
    for (const Slice& slice : tensor.slices) {
      boxes.push_back(slice.box);
      if (__builtin_add_overflow(covered, volume(slice.box), &covered)) covered = INT64_MAX;
    }
    const auto pairs = overlappingBoxes(boxes, kMostOfTensor);
    for (const auto& [first, second] : pairs) {
      const Slice &a = tensor.slices[first], &b = tensor.slices[second];
      const Box common = *intersection(a.box, b.box);
      report("overlap", tensor,
             fmt::format("{}{}: {} elements are stored twice: {} and {}", tensor.name,
                         boxText(common), volume(common), text(tensor, a), text(tensor, b)),
             common, {fileOf(a), fileOf(b)});
    }
    const std::int64_t total = *elementsOf(tensor.shape);
    if (total == 0 || (pairs.empty() && covered == total)) return;
    constexpr std::size_t kMostBoxes = 65536;  // for which the parts are worth their time
    const auto missing = boxes.size() > kMostBoxes
                             ? std::nullopt
                             : uncovered(wholeOf(tensor.shape), boxes, /*most=*/4096);
    if (!missing) {  // overlaps are reported already, and hide how many elements are missing
      if (!pairs.empty()) return;
      report(
          "missing", tensor,
          fmt::format("{}: {} of {} elements are in no file", tensor.name, total - covered, total),
          wholeOf(tensor.shape));
      return;
    }
    for (std::size_t i = 0; i < std::min(missing->size(), kMostOfTensor); ++i) {
      const Box& box = missing->at(i);
      report("missing", tensor,
             fmt::format("{}{}: {} of {} elements are in no file", tensor.name, boxText(box),
                         volume(box), total),
             box);
    }
  }

  // The first elements of a slice, if they can tell it from another one.
  std::optional<std::string> beginning(SliceReader& reader, const CheckpointTensor& tensor,
                                       const Slice& slice) const {
    constexpr std::size_t kMostBytes = 4096, kFewest = 4;
    const auto size = static_cast<std::size_t>(tensor.type->size);
    std::string bytes;
    (void)forEachRun(slice.box, static_cast<std::int64_t>(kMostBytes / size),
                     [&](const Extents& index, std::int64_t count) {
                       const std::byte* const run = reader.run(index, count);
                       bytes.append(reinterpret_cast<const char*>(run),
                                    static_cast<std::size_t>(count) * size);
                       return bytes.size() < kMostBytes;
                     });
    bool isConstant = true;
    for (std::size_t at = size; at < bytes.size(); at += size) {
      isConstant &= bytes.compare(at, size, bytes, 0, size) == 0;
    }
    return isConstant || bytes.size() < kFewest * size ? std::nullopt
                                                       : std::optional(std::move(bytes));
  }

  bool areEqual(const CheckpointTensor& tensor, const Slice& a, const Slice& b) {
    SliceReader readerA(files_, tensor, a), readerB(files_, tensor, b);
    return forEachRun(a.box, readerA.mostElements(), [&](const Extents& index, std::int64_t count) {
      Extents other = index;
      for (std::size_t dim = 0; dim < other.size(); ++dim) {
        other[dim] += b.box.offsets[dim] - a.box.offsets[dim];
      }
      const auto bytes = static_cast<std::size_t>(count * tensor.type->size);
      return std::memcmp(readerA.run(index, count), readerB.run(other, count), bytes) == 0;
    });
  }

  void checkContent(const CheckpointTensor& tensor) {
    using Kind = ElementType::Kind;
    const bool canCompare = tensor.type->kind == Kind::Float || tensor.type->kind == Kind::BFloat ||
                            tensor.type->kind == Kind::Float8 || tensor.type->kind == Kind::Complex;
    std::map<std::pair<Extents, std::string>, const Slice*> seen;
    for (const Slice& slice : tensor.slices) {
      if (checkpoint_.files[slice.file].isMissing) {
        report("missing", tensor, text(tensor, slice) + ": the file is missing", slice.box,
               {fileOf(slice)});
        continue;
      }
      try {
        SliceReader reader(files_, tensor, slice);
        if (!canCompare || tensor.slices.size() < 2) continue;
        auto bytes = beginning(reader, tensor, slice);
        if (!bytes) continue;
        // Hashed, because the beginnings of all slices of a tensor can be large.
        const auto hash = std::to_string(std::hash<std::string>{}(*bytes));
        const auto [first, isNew] = seen.try_emplace({slice.box.sizes, hash}, &slice);
        if (isNew || intersection(first->second->box, slice.box) ||
            !areEqual(tensor, *first->second, slice))
          continue;
        checkpoint_.addProblem(
            {.kind = "equal-slices",
             .tensor = tensor.name,
             .sentence =
                 fmt::format("{} has the same {} elements as {}: one of them may be the "
                             "slice of another rank",
                             text(tensor, slice), volume(slice.box), text(tensor, *first->second)),
             .where = slice.box,
             .files = {fileOf(slice), fileOf(*first->second)},
             .isWarning = true});
      } catch (const BadCheckpoint& bad) {
        report("unreadable", tensor, text(tensor, slice) + ": " + bad.what(), slice.box,
               {fileOf(slice)});
      }
    }
  }

  // Finds slices at the same bytes of a file.
  void checkBytes() {
    struct Place {
      const CheckpointTensor* tensor;
      const Slice* slice;
    };
    std::vector<Place> places;
    for (const auto& tensor : checkpoint_.tensors) {
      for (const auto& slice : tensor.slices) places.push_back({&tensor, &slice});
    }
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
      return std::tie(a.slice->file, a.slice->offset) < std::tie(b.slice->file, b.slice->offset);
    });
    for (std::size_t i = 1; i < places.size(); ++i) {
      const Slice &a = *places[i - 1].slice, &b = *places[i].slice;
      if (a.file != b.file || b.offset - a.offset >= a.bytes) continue;
      report("shared-bytes", *places[i].tensor,
             fmt::format("{} and {} begin at bytes {} and {} of the file, and share bytes",
                         text(*places[i - 1].tensor, a), text(*places[i].tensor, b), a.offset,
                         b.offset),
             b.box, {fileOf(b)});
    }
  }

  Checkpoint& checkpoint_;
  OpenFiles files_;
};

}  // namespace

std::string sliceText(const Checkpoint& checkpoint, const CheckpointTensor& tensor,
                      const Slice& slice) {
  const CheckpointFile& file = checkpoint.files[slice.file];
  return fmt::format("{}{} in {}{}", tensor.name, boxText(slice.box), file.name,
                     file.rank ? fmt::format(" (rank {})", *file.rank) : "");
}

void checkCheckpoint(Checkpoint& checkpoint) { Checker(checkpoint).run(); }

}  // namespace shardlens
