#include "core/base/refusal.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/id_check.h"
#include "core/tensor/local/families.h"
#include "core/tensor/local/masked.h"
#include "core/tensor/values/pieces.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <algorithm>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;
using Tensors = std::vector<at::Tensor>;

std::int64_t sizeAt(const at::Tensor& tensor, std::int64_t dim) {
  return tensor.dim() == 0 ? 1 : tensor.size(dim);
}

// self, dim, index, ...: the index is along the dimension.
void checkIndex(const std::string& name, Args args, FromEnd fromEnd = FromEnd::Refused) {
  const auto size = sizeAt(args[0].toTensor(), args[1].toInt());
  const auto index = args[2].toTensor();
  // An empty index may have any dtype, as in libtorch.
  if (isDTensor(index) && index.numel() > 0) refuseBadIds(name, dtensorImpl(index), size, fromEnd);
}

void checkGather(Args args, const Tensors&) { checkIndex("aten.gather", args); }
void checkScatter(Args args, const Tensors&) { checkIndex("aten.scatter", args); }
void checkIndexed(Args args, const Tensors&) { checkIndex("aten.index_select", args); }
void checkFilled(Args args, const Tensors&) {
  checkIndex("aten.index_fill", args, FromEnd::Allowed);
}

// self, index, ...: the index is into the flattened tensor.
void checkTaken(Args args, const Tensors&) {
  const auto index = args[1].toTensor();
  if (index.scalar_type() != at::kLong) {
    throw Refusal(std::string("aten.take: got an index of ") + c10::toString(index.scalar_type()) +
                  ", expected int64");
  }
  if (isDTensor(index)) {
    refuseBadIds("aten.take", dtensorImpl(index), args[0].toTensor().numel(), FromEnd::Allowed);
  }
}

bool hasIndex(c10::ArrayRef<c10::IValue> indices) {
  return std::any_of(indices.begin(), indices.end(), [](const auto& index) {
    return !index.isNone() && index.toTensor().defined();
  });
}

// self, mask, indices, ...
void checkMaskedIndices(Args args, const Tensors&) {
  if (hasIndex(args[2].toListRef())) return;
  throw Refusal("indices under a mask: got none, expected at least one");
}

bool isMaskType(at::ScalarType type) { return type == at::kBool || type == at::kByte; }

// Throws Refusal unless the mask has the sizes of the tensor's dimensions from `first` on.
void checkMaskShape(const at::Tensor& self, std::int64_t first, const at::Tensor& mask) {
  for (std::int64_t dim = 0; dim < mask.dim(); ++dim) {
    if (mask.size(dim) == self.size(first + dim)) continue;
    throw Refusal(
        fmt::format("aten.index: got a mask of size {} along dimension {}, expected the {} "
                    "of the tensor's dimension {}",
                    mask.size(dim), dim, self.size(first + dim), first + dim));
  }
}

// self, indices, ...: one index or none per dimension; negative indices count from the end.
void checkIndices(Args args, const Tensors&) {
  const auto self = args[0].toTensor();
  const auto indices = args[1].toListRef();
  if (!hasIndex(indices)) throw Refusal("aten.index: at least one index must be provided");
  std::int64_t read = 0;  // number of dimensions indexed; a mask indexes all of its dimensions
  for (const auto& each : indices) {
    const auto index = each.isNone() ? at::Tensor() : each.toTensor();
    const auto type = index.defined() ? index.scalar_type() : at::kLong;
    const bool isMask = isMaskType(type);
    read += isMask ? index.dim() : 1;
    if (isMask || type == at::kLong || type == at::kInt) continue;
    throw Refusal(std::string("aten.index: got indices of ") + c10::toString(type) +
                  ", expected tensors used as indices to be long, int, byte or bool");
  }
  if (read > self.dim()) {
    throw Refusal(fmt::format("aten.index: too many indices for tensor of dimension {} (got {})",
                              self.dim(), read));
  }
  std::int64_t dim = 0;
  for (const auto& each : indices) {
    const auto index = each.isNone() ? at::Tensor() : each.toTensor();
    const bool isMask = index.defined() && isMaskType(index.scalar_type());
    if (isMask) checkMaskShape(self, dim, index);
    const bool counts = index.defined() && !isMask && !index.is_floating_point();
    if (counts && isDTensor(index)) {
      refuseBadIds("aten.index", dtensorImpl(index), self.size(dim), FromEnd::Allowed);
    }
    dim += isMask ? index.dim() : 1;
  }
}

// Returns zeros for rows of other ranks, and for a shard without rows.
at::Tensor gatherOwned(const at::Tensor& input, std::int64_t dim, const at::Tensor& index,
                       Chunk rows, const at::Tensor& mask) {
  if (rows.length == 0) return at::zeros(index.sizes(), input.options());
  return input.gather(dim, (index - rows.begin).masked_fill_(mask, 0)).masked_fill_(mask, 0);
}

LocalResult gather(const LocalCall& call) {
  const auto lookup = MaskedLookup::of(call);
  const auto dim = call.args[1].toInt();
  LocalResult result{{Buffers()}};
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    const auto& input = call.local(0, i);
    const auto& index = call.local(1, i);
    if (lookup) {
      const Chunk rows = lookup->rows(call.runtime.comm().hosted()[i]);
      const auto mask = (index < rows.begin).bitwise_or_(index >= rows.begin + rows.length);
      result.outputs[0].push_back(gatherOwned(input, dim, index, rows, mask));
      if (lookup->looks()) result.masks.push_back(mask);
    } else if (input.numel() == 0) {
      result.outputs[0].push_back(at::zeros(index.sizes(), input.options()));
    } else {
      result.outputs[0].push_back(input.gather(dim, index));
    }
  }
  return result;
}

// Returns the position of the i-th hosted rank's part in the first input.
Piece pieceOf(const LocalCall& call, std::size_t i) {
  const int rank = call.runtime.comm().hosted()[i];
  return Piece(ownedRuns(call.plan.schema.input(0).shape, *call.runtime.mesh(),
                         call.plan.strategy.inputs.front(), rank));
}

bool isWhole(const LocalCall& call, std::size_t i) {
  return call.local(0, i).sizes() == at::IntArrayRef(call.plan.schema.input(0).shape);
}

// self, index, source, ...: keeps the indices of the rank's own elements, as local ones.
LocalResult put(const LocalCall& call) {
  return collected(call, [&](std::size_t i) {
    auto stack = call.arguments(i);
    if (isWhole(call, i)) return call.runPlain(i, std::move(stack));
    const auto index = stack[1].toTensor(), source = stack[2].toTensor();
    if (source.numel() != index.numel()) {
      throw Refusal(fmt::format("aten.put: got {} elements of source, expected the {} of the index",
                                source.numel(), index.numel()));
    }
    const Piece piece = pieceOf(call, i);
    const auto places = at::full(call.plan.schema.input(0).shape, -1, index.options());
    const auto place = placeFor(places, piece);
    place.copy_(at::arange(place.numel(), index.options()).view(place.sizes()));
    putPiece(places, piece, place);
    const auto own = places.take(index);
    stack[1] = own.masked_select(own.ge(0));
    stack[2] = source.reshape(index.sizes()).masked_select(own.ge(0));
    return call.runPlain(i, std::move(stack));
  });
}

// self, mask, source: takes the source elements in the order of the whole mask.
LocalResult maskedScatter(const LocalCall& call) {
  return collected(call, [&](std::size_t i) {
    auto stack = call.arguments(i);
    if (isWhole(call, i)) return call.runPlain(i, std::move(stack));
    const auto mask = stack[1].toTensor().expand(call.plan.schema.input(0).shape).contiguous();
    const auto order = mask.flatten().cumsum(0).view(mask.sizes());
    const auto source = stack[2].toTensor();
    const auto wanted = mask.numel() == 0 ? 0 : order.flatten()[-1].item<std::int64_t>();
    if (wanted > source.numel()) {
      throw Refusal(
          fmt::format("masked_scatter: got {} elements of source, expected at least the {} "
                      "that the mask has",
                      source.numel(), wanted));
    }
    const Piece piece = pieceOf(call, i);
    const auto own = copyPiece(mask, piece);
    stack[1] = own;
    stack[2] = source.take(copyPiece(order, piece).masked_select(own).sub(1));
    return call.runPlain(i, std::move(stack));
  });
}

void checkMask(Args, const Tensors& inputs) {
  if (inputs[1].scalar_type() == at::kBool) return;
  throw Refusal(std::string("masked_scatter: got a mask of ") +
                c10::toString(inputs[1].scalar_type()) + ", expected bool");
}

}  // namespace

std::vector<NamedKernel> gatherKernels() {
  std::vector<NamedKernel> kernels = {
      {"aten.gather", {.check = checkGather, .run = gather, .masks = true}},
      {"aten._unsafe_index.Tensor", {.check = checkIndices}},
      {"aten._unsafe_index_put", {.check = checkIndices}},
      {"aten.index.Tensor", {.check = checkIndices}},
      {"aten.masked_scatter", {.check = checkMask, .run = maskedScatter}},
      {"aten.masked_scatter_", {.check = checkMask, .run = maskedScatter}},
      {"aten.put", {.check = checkTaken, .run = put}},
      {"aten.put_", {.check = checkTaken, .run = put}},
      {"aten.take", {.check = checkTaken}},
      {"aten.index_put", {.check = checkIndices}},
      {"aten.index_put_", {.check = checkIndices}},
      {"aten._index_put_impl", {.check = checkIndices}},
      {"aten._index_put_impl_", {.check = checkIndices}}};
  for (const auto* name :
       {"aten.scatter.src", "aten.scatter.value", "aten.scatter.reduce",
        "aten.scatter.value_reduce", "aten.scatter_.src", "aten.scatter_.value",
        "aten.scatter_.reduce", "aten.scatter_.value_reduce", "aten.scatter_add",
        "aten.scatter_add_", "aten.scatter_reduce.two", "aten.scatter_reduce_.two"}) {
    kernels.push_back({name, {.check = checkScatter}});
  }
  for (const auto* name :
       {"aten.index_select", "aten.index_add", "aten.index_add_", "aten.index_copy",
        "aten.index_copy_", "aten.index_reduce", "aten.index_reduce_"}) {
    kernels.push_back({name, {.check = checkIndexed}});
  }
  for (const auto* name :
       {"aten._unsafe_masked_index", "aten._unsafe_masked_index_put_accumulate"}) {
    kernels.push_back({name, {.check = checkMaskedIndices}});
  }
  for (const auto* name : {"aten.index_fill.int_Scalar", "aten.index_fill.int_Tensor",
                           "aten.index_fill_.int_Scalar", "aten.index_fill_.int_Tensor"}) {
    kernels.push_back({name, {.check = checkFilled}});
  }
  return kernels;
}

}  // namespace shardlens
