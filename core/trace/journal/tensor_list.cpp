#include "core/trace/journal/tensor_list.h"

#include <algorithm>

namespace shardlens {

void TensorList::add(const Tensor& tensor) {
  if (pages_.empty() || pages_.back().which.size() == kPage) {
    if (!pages_.empty()) pages_.back().kinds.shrink_to_fit();
    pages_.emplace_back().which.reserve(kPage);
  }
  auto& [kinds, which] = pages_.back();
  // The kind is that of a recent tensor in most cases, so the search begins at its end.
  const auto found = std::find(kinds.rbegin(), kinds.rend(), tensor);
  const auto place =
      found == kinds.rend() ? kinds.size() : static_cast<std::size_t>(kinds.rend() - found - 1);
  if (place == kinds.size()) kinds.push_back(tensor);
  which.push_back(static_cast<std::uint8_t>(place));
}

}  // namespace shardlens
