#include "core/tensor/local_kernels.h"

#include "core/tensor/refusal.h"
#include "core/tensor/sharded_tensor.h"
#include "core/tensor/transform.h"
#include "kernels/rows.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <unordered_map>

namespace shardlens {
namespace {

kernels::Ids idsOf(const at::Tensor& ids) {
  const auto type = ids.scalar_type() == at::kInt ? kernels::IdType::Int32 : kernels::IdType::Int64;
  return {ids.const_data_ptr(), type, ids.numel()};
}

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

// Every id names a row, whichever way the table is cut. libtorch would notice only in its own part,
// or not at all.
void checkIds(const std::vector<at::Tensor>& inputs) {
  const std::int64_t rows = inputs[0].size(0);
  const at::Tensor& ids = inputs[1];
  if (!isSharded(ids)) return;
  const auto& impl = shardedImpl(ids);
  if (std::any_of(impl.spec().placements.begin(), impl.spec().placements.end(), isMaskPartial)) {
    return;
  }
  if (ids.scalar_type() != at::kLong && ids.scalar_type() != at::kInt) {
    throw Refusal("aten.embedding: got ids of " + std::string(c10::toString(ids.scalar_type())) +
                  ", expected int64 or int32");
  }
  for (std::size_t i = 0; i < impl.locals().size(); ++i) {
    const auto local = impl.locals()[i].contiguous();
    const auto bad = kernels::checkIds(idsOf(local), rows);
    if (!bad) continue;
    throw Refusal("aten.embedding: index " +
                  std::to_string(local.reshape({-1})[*bad].item<std::int64_t>()) + " at position " +
                  globalPosition(impl.spec(), impl.runtime().comm().hosted()[i], *bad) +
                  " of the ids is out of range, expected 0 to " + std::to_string(rows - 1));
  }
}

// A rank looks its rows up. Where the ids are masked and nobody did so before, this pass does it
// and leaves zeros for the rows of others; a shard without rows has nothing to look up.
at::Tensor lookUp(const at::Tensor& weight, const at::Tensor& ids, Chunk rows,
                  const at::Tensor& mask) {
  const auto table = weight.contiguous();
  const auto flat = ids.contiguous();
  auto shape = ids.sizes().vec();
  shape.push_back(weight.size(1));
  auto out = at::empty(shape, weight.options());
  kernels::maskedLookup(
      {table.const_data_ptr(),
       weight.size(1) * static_cast<std::int64_t>(weight.itemsize()),
       {rows.begin, rows.length}},
      idsOf(flat), out.mutable_data_ptr(),
      mask.defined() ? static_cast<std::uint8_t*>(mask.mutable_data_ptr()) : nullptr);
  return out;
}

const MaskPartial* maskedOutput(const CachedCall& plan) {
  for (const auto& placement : plan.outputs.front().placements) {
    if (const auto* masked = std::get_if<MaskPartial>(&placement)) return masked;
  }
  return nullptr;
}

LocalResult embedding(const LocalCall& call) {
  const auto& weight = shardedImpl(call.inputs[0]);
  const auto& ids = shardedImpl(call.inputs[1]);
  const auto& ranks = call.runtime.comm().hosted();
  const auto* masked = ids.pending() == nullptr ? maskedOutput(call.plan) : nullptr;
  const bool looks = masked != nullptr && call.runtime.recorder().capture() != CaptureLevel::None;
  LocalResult result;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto& table = weight.locals()[i];
    const auto& local = ids.locals()[i];
    const auto& placements = call.plan.outputs.front().placements;
    const Chunk rows = masked != nullptr
                           ? ownedRows(*call.runtime.mesh(), placements, *masked, ranks[i])
                           : Chunk{0, table.size(0)};
    at::Tensor mask;
    if (looks) {
      mask = at::empty(local.sizes(), local.options().dtype(at::kBool));
      result.masks.push_back(mask);
    }
    result.locals.push_back(lookUp(table, local, rows, mask));
  }
  return result;
}

}  // namespace

const LocalKernel* findLocalKernel(std::string_view name) {
  static const std::unordered_map<std::string_view, LocalKernel> kKernels = {
      {"aten.embedding", {checkIds, embedding, /*masks=*/true}}};
  const auto it = kKernels.find(name);
  return it == kKernels.end() ? nullptr : &it->second;
}

}  // namespace shardlens
