#pragma once

#include "core/model/event.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardlens {

// The names and specs of a journal's tensors, by id. A step creates tensors of few names and specs
// again and again, so a tensor takes about one byte and a half instead of eight. Constant time.
class TensorList {
 public:
  struct Tensor {
    StringId name = 0;
    SpecId spec = 0;
    bool operator==(const Tensor&) const = default;
  };

  // Appends tensor size() + 1.
  void add(const Tensor& tensor);
  std::size_t size() const {
    return pages_.empty() ? 0 : (pages_.size() - 1) * kPage + pages_.back().which.size();
  }
  // `id` must be from 1 to size().
  Tensor at(TensorId id) const {
    const Page& page = pages_[(id - 1) / kPage];
    return page.kinds[page.which[(id - 1) % kPage]];
  }

 private:
  static constexpr std::size_t kPage = 256;  // tensors; their kinds are numbered by a byte

  struct Page {
    std::vector<Tensor> kinds;        // distinct
    std::vector<std::uint8_t> which;  // by tensor
  };

  std::vector<Page> pages_;
};

}  // namespace shardlens
