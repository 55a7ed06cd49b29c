#include "core/tensor/id_check.h"

#include "core/model/shard_geometry.h"
#include "core/tensor/refusal.h"
#include "core/tensor/runtime.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

// "[1, 0]": where the element that stands at a flat position of a rank's part stands in the whole.
std::string globalPosition(const Spec& spec, int rank, std::int64_t flat) {
  const auto runs = ownedRuns(spec.meta.shape, *spec.mesh, spec.placements, rank);
  Shape position(runs.size());
  for (std::size_t dim = runs.size(); dim-- > 0;) {
    const std::int64_t length = totalLength(runs[dim]);
    std::int64_t local = flat % length;
    flat /= length;
    for (const auto& run : runs[dim]) {
      if (local < run.length) {
        position[dim] = run.begin + local;
        break;
      }
      local -= run.length;
    }
  }
  return toText(position);
}

// What is wrong with the ids that the hosted ranks have; empty where nothing is.
std::string badId(const std::string& where, const ShardedTensorImpl& ids, std::int64_t rows,
                  FromEnd fromEnd) {
  const std::int64_t least = fromEnd == FromEnd::Allowed ? -rows : 0;
  for (std::size_t i = 0; i < ids.locals().size(); ++i) {
    const auto local = ids.locals()[i].contiguous();
    const auto counted = least == 0 ? local : local - least;
    const auto bad = kernels::checkIds(kernelIds(counted), rows - least);
    if (!bad) continue;
    const int rank = ids.runtime().comm().hosted()[i];
    return where + ": index " + std::to_string(local.reshape({-1})[*bad].item<std::int64_t>()) +
           " at position " + globalPosition(ids.spec(), rank, *bad) +
           " of the ids is out of range, expected " + std::to_string(least) + " to " +
           std::to_string(rows - 1);
  }
  return {};
}

}  // namespace

kernels::Ids kernelIds(const at::Tensor& ids) {
  const auto type = ids.scalar_type() == at::kInt ? kernels::IdType::Int32 : kernels::IdType::Int64;
  return {ids.const_data_ptr(), type, ids.numel()};
}

void refuseBadIds(const std::string& where, const ShardedTensorImpl& ids, std::int64_t rows,
                  FromEnd fromEnd) {
  const DType dtype = ids.spec().meta.dtype;
  if (dtype != DType::Int64 && dtype != DType::Int32) {
    throw Refusal(where + ": got ids of " + std::string(dtypeName(dtype)) +
                  ", expected int64 or int32");
  }
  // Each process sees the ids of its own ranks only, and all refuse or none.
  for (const auto& wrong : ids.runtime().comm().exchangeWords(badId(where, ids, rows, fromEnd))) {
    if (!wrong.empty()) throw Refusal(wrong);
  }
}

}  // namespace shardlens
