#include "core/tensor/pieces.h"

#include "core/comm/copy.h"
#include "core/tensor/buffer_pool.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

bool inOnePiece(const Block& block) {
  return std::all_of(block.begin(), block.end(), [](const Runs& runs) { return runs.size() <= 1; });
}

Shape shapeOf(const Block& block) {
  Shape shape;
  shape.reserve(block.size());
  for (const auto& runs : block) shape.push_back(totalLength(runs));
  return shape;
}

// The elements between these places, as a view made at once: narrowing dimension by dimension
// costs a microsecond each, which is much where shards are small.
at::Tensor viewAt(const at::Tensor& tensor, const Shape& begin, const Shape& length) {
  std::int64_t offset = tensor.storage_offset();
  for (std::size_t dim = 0; dim < begin.size(); ++dim) {
    offset += begin[dim] * tensor.stride(static_cast<std::int64_t>(dim));
  }
  auto view = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(tensor.storage()),
                                                       tensor.key_set(), tensor.dtype());
  auto* impl = view.unsafeGetTensorImpl();
  impl->set_storage_offset(offset);
  impl->set_sizes_and_strides(length, tensor.strides());
  return view;
}

at::Tensor viewOf(const at::Tensor& tensor, const Block& block) {
  Shape begin(block.size()), length(block.size());
  for (std::size_t dim = 0; dim < block.size(); ++dim) {
    if (block[dim].empty()) continue;
    begin[dim] = block[dim].front().begin;
    length[dim] = block[dim].front().length;
  }
  return viewAt(tensor, begin, length);
}

// Calls visit(in the tensor, in the piece) for every run of one dimension crossed with every run of
// the others.
template <class Visit>
void forEachCrossing(const at::Tensor& tensor, const Block& block, const at::Tensor& piece,
                     Visit visit) {
  if (piece.numel() == 0) return;
  Shape inTensor(block.size()), inPiece(block.size()), length(block.size());
  const auto descend = [&](const auto& self, std::size_t dim) -> void {
    if (dim == block.size()) {
      return visit(viewAt(tensor, inTensor, length), viewAt(piece, inPiece, length));
    }
    std::int64_t at = 0;
    for (const auto& run : block[dim]) {
      inTensor[dim] = run.begin;
      inPiece[dim] = at;
      length[dim] = run.length;
      self(self, dim + 1);
      at += run.length;
    }
  };
  descend(descend, 0);
}

}  // namespace

at::Tensor takePiece(const at::Tensor& tensor, const Block& block) {
  return inOnePiece(block) ? viewOf(tensor, block) : copyPiece(tensor, block);
}

at::Tensor copyPiece(const at::Tensor& tensor, const Block& block) {
  auto piece = emptyBuffer(shapeOf(block), tensor.options());
  forEachCrossing(tensor, block, piece,
                  [](const auto& from, const auto& to) { copyInto(to, from); });
  return piece;
}

at::Tensor placeFor(const at::Tensor& tensor, const Block& block) {
  return inOnePiece(block) ? viewOf(tensor, block) : emptyBuffer(shapeOf(block), tensor.options());
}

void putPiece(const at::Tensor& tensor, const Block& block, const at::Tensor& piece) {
  if (piece.is_alias_of(tensor)) return;
  forEachCrossing(tensor, block, piece,
                  [](const auto& to, const auto& from) { copyInto(to, from); });
}

}  // namespace shardlens
