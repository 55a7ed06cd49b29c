#include "core/checkpoints/checkpoint_json.h"

#include <nlohmann/json.hpp>

namespace shardlens {
namespace {

using nlohmann::ordered_json;

ordered_json boxJson(const Box& box) { return {{"offsets", box.offsets}, {"sizes", box.sizes}}; }

ordered_json rankJson(const CheckpointFile& file) {
  return file.rank ? ordered_json(*file.rank) : ordered_json();
}

ordered_json tensorJson(const Checkpoint& checkpoint, const CheckpointTensor& tensor) {
  ordered_json slices = ordered_json::array();
  for (const Slice& slice : tensor.slices) {
    const CheckpointFile& file = checkpoint.files[slice.file];
    ordered_json part = boxJson(slice.box);
    part["rank"] = rankJson(file);
    part["file"] = file.name;
    part["offset"] = slice.offset;
    part["bytes"] = slice.bytes;
    slices.push_back(std::move(part));
  }
  return {{"name", tensor.name},
          {"dtype", tensor.type->name},
          {"shape", tensor.shape},
          {"slices", std::move(slices)}};
}

ordered_json problemsJson(const Checkpoint& checkpoint) {
  ordered_json list = ordered_json::array();
  for (const auto& problem : checkpoint.problems) {
    list.push_back({{"kind", problem.kind},
                    {"severity", problem.isWarning ? "warning" : "error"},
                    {"tensor", problem.tensor},
                    {"slice", problem.where ? boxJson(*problem.where) : ordered_json()},
                    {"files", problem.files},
                    {"sentence", problem.sentence}});
  }
  return list;
}

ordered_json differenceJson(const CheckpointDifference& difference) {
  ordered_json json = {{"kind", difference.kind},
                       {"tensor", difference.tensor},
                       {"sentence", difference.sentence},
                       {"files", difference.files}};
  if (difference.count > 0) json["count"] = difference.count;
  if (difference.where) json["slice"] = boxJson(*difference.where);
  if (difference.kind == "values") {
    json["first"] = difference.first;
    json["left"] = difference.left;
    json["right"] = difference.right;
    json["largest"] = difference.largest;  // JSON writes an infinite one as null
  }
  return json;
}

}  // namespace

ordered_json checkpointJson(const Checkpoint& checkpoint) {
  ordered_json files = ordered_json::array(), tensors = ordered_json::array();
  for (const auto& file : checkpoint.files) {
    files.push_back({{"name", file.name},
                     {"rank", rankJson(file)},
                     {"bytes", file.isMissing ? ordered_json() : ordered_json(file.bytes)}});
  }
  for (const auto& tensor : checkpoint.tensors) tensors.push_back(tensorJson(checkpoint, tensor));
  return {{"path", checkpoint.path.string()}, {"format", checkpoint.format},
          {"files", std::move(files)},        {"tensors", std::move(tensors)},
          {"objects", checkpoint.objects},    {"problems", problemsJson(checkpoint)}};
}

ordered_json planJson(const std::vector<HeldSlices>& plan) {
  ordered_json list = ordered_json::array();
  for (const HeldSlices& held : plan) {
    ordered_json boxes = ordered_json::array();
    for (const Box& box : held.boxes) boxes.push_back(boxJson(box));
    list.push_back({{"tensor", held.tensor->name},
                    {"style", held.style},
                    {"rank", held.isReplicated ? ordered_json() : ordered_json(held.rank)},
                    {"slices", std::move(boxes)},
                    {"files", held.files}});
  }
  return list;
}

ordered_json comparisonJson(const Checkpoint& right, const CheckpointComparison& comparison) {
  ordered_json differences = ordered_json::array();
  for (const auto& difference : comparison.differences) {
    differences.push_back(differenceJson(difference));
  }
  return {{"path", right.path.string()},
          {"problems", problemsJson(right)},
          {"tensors", comparison.tensors},
          {"elements", comparison.elements},
          {"differences", std::move(differences)}};
}

}  // namespace shardlens
