#include "core/tensor/values/pieces.h"

#include "core/memory/buffer_pool.h"
#include "core/memory/copy.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

// Returns a view of a range. Built in one step, because narrowing dimension by dimension costs a
// microsecond each, which is noticeable for small shards.
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

// Calls visit(view of the tensor, view of the part) for every combination of one run per dimension.
template <class Visit>
void forEachCrossing(const at::Tensor& tensor, const Piece& piece, const at::Tensor& part,
                     Visit visit) {
  if (part.numel() == 0) return;
  if (isPlaced(piece)) return visit(viewAt(tensor, piece.begin, piece.shape), part);
  const Block& block = piece.stretches;
  Shape inTensor(block.size()), inPart(block.size()), length(block.size());
  const auto descend = [&](const auto& self, std::size_t dim) -> void {
    if (dim == block.size()) {
      return visit(viewAt(tensor, inTensor, length), viewAt(part, inPart, length));
    }
    std::int64_t at = 0;
    for (const auto& run : block[dim]) {
      inTensor[dim] = run.begin;
      inPart[dim] = at;
      length[dim] = run.length;
      self(self, dim + 1);
      at += run.length;
    }
  };
  descend(descend, 0);
}

}  // namespace

bool isPlaced(const Piece& piece) { return piece.stretches.empty(); }

Piece::Piece(Block block) {
  shape.reserve(block.size());
  begin.reserve(block.size());
  for (const auto& runs : block) {
    shape.push_back(totalLength(runs));
    begin.push_back(runs.empty() ? 0 : runs.front().begin);
  }
  const bool apart =
      std::any_of(block.begin(), block.end(), [](const Runs& runs) { return runs.size() > 1; });
  if (apart) stretches = std::move(block);
}

at::Tensor takePiece(const at::Tensor& tensor, const Piece& piece) {
  return isPlaced(piece) ? viewAt(tensor, piece.begin, piece.shape) : copyPiece(tensor, piece);
}

at::Tensor copyPiece(const at::Tensor& tensor, const Piece& piece) {
  auto part = emptyBuffer(piece.shape, tensor.options());
  forEachCrossing(tensor, piece, part,
                  [](const auto& from, const auto& to) { copyInto(to, from); });
  return part;
}

at::Tensor placeFor(const at::Tensor& tensor, const Piece& piece) {
  return isPlaced(piece) ? viewAt(tensor, piece.begin, piece.shape)
                         : emptyBuffer(piece.shape, tensor.options());
}

void putPiece(const at::Tensor& tensor, const Piece& piece, const at::Tensor& part) {
  if (isPlaced(piece)) return;
  forEachCrossing(tensor, piece, part,
                  [](const auto& to, const auto& from) { copyInto(to, from); });
}

}  // namespace shardlens
