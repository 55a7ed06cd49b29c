#include "core/tensor/local/halo.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

// The exchange of one halo between the parts of the hosted ranks.
class Exchange {
 public:
  Exchange(Runtime& runtime, const Halo& halo, const Buffers& parts)
      : runtime_(runtime),
        groups_(runtime.groups(halo.meshDims)),
        halo_(halo),
        parts_(parts),
        none_(parts.empty() ? at::Tensor() : at::empty({0}, parts.front().options())) {}

  Buffers lengthened() {
    Buffers longer;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const auto& [own, over] = partOf(i);
      longer.push_back(zeros(parts_[i], over.length));
      common(longer[i], over, own).copy_(common(parts_[i], own, over));
    }
    run(
        "",
        [&](std::size_t i, std::size_t other) {
          return common(parts_[i], partOf(i).own, halo_.parts[other].over);
        },
        [&](std::size_t i, std::size_t other) {
          return common(longer[i], partOf(i).over, halo_.parts[other].own);
        });
    return longer;
  }

  Buffers shortened() {
    Buffers owned;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const auto& [own, over] = partOf(i);
      owned.push_back(zeros(parts_[i], own.length));
      common(owned[i], own, over).copy_(common(parts_[i], over, own));
    }
    const auto received = run(
        "; what a rank has for them is added to its neighbours'",
        [&](std::size_t i, std::size_t other) {
          return common(parts_[i], partOf(i).over, halo_.parts[other].own);
        },
        [&](std::size_t i, std::size_t other) {
          return at::empty_like(common(owned[i], partOf(i).own, halo_.parts[other].over));
        });
    for (std::size_t i = 0; i < received.size(); ++i) {
      for (std::size_t other = 0; other < received[i].size(); ++other) {
        if (received[i][other].is_same(none_)) continue;
        common(owned[i], partOf(i).own, halo_.parts[other].over).add_(received[i][other]);
      }
    }
    return owned;
  }

 private:
  std::size_t member(std::size_t i) const {
    const int rank = runtime_.comm().hosted()[i];
    const auto& group = groups_.groupOf(rank);
    return static_cast<std::size_t>(std::find(group.begin(), group.end(), rank) - group.begin());
  }
  const Halo::Part& partOf(std::size_t i) const { return halo_.parts[member(i)]; }

  at::Tensor zeros(const at::Tensor& like, std::int64_t length) const {
    auto shape = like.sizes().vec();
    shape[static_cast<std::size_t>(halo_.tensorDim)] = length;
    return at::zeros(shape, like.options());
  }

  // Returns the part of `held`, which holds `stretch`, that is also in `other`.
  at::Tensor common(const at::Tensor& held, const Chunk& stretch, const Chunk& other) const {
    const auto begin = std::max(stretch.begin, other.begin);
    const auto end = std::min(stretch.begin + stretch.length, other.begin + other.length);
    if (end <= begin) return held.narrow(halo_.tensorDim, 0, 0);
    return held.narrow(halo_.tensorDim, begin - stretch.begin, end - begin);
  }

  // Returns what each hosted rank received from each member. Only neighbours exchange elements.
  // Returns nothing if no rank needs any.
  template <class Sent, class Into>
  BufferLists run(const std::string& what, Sent sent, Into into) {
    if (halo_.bytes == 0) return {};
    BufferLists inputs, received;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const auto me = member(i);
      inputs.emplace_back(halo_.parts.size(), none_);
      received.emplace_back(halo_.parts.size(), none_);
      for (const auto other : {me - 1, me + 1}) {
        if (other >= halo_.parts.size()) continue;  // also before the first, where me - 1 wraps
        inputs[i][other] = sent(i, other);
        received[i][other] = into(i, other);
      }
    }
    runtime_.comm().haloExchange(groups_.set(), inputs, received, reachText(halo_) + what);
    return received;
  }

  Runtime& runtime_;
  const MeshGroups& groups_;
  const Halo& halo_;
  const Buffers& parts_;
  at::Tensor none_;
};

}  // namespace

Buffers withHalos(Runtime& runtime, const std::vector<Halo>& halos, Buffers parts) {
  for (const auto& halo : halos) parts = Exchange(runtime, halo, parts).lengthened();
  return parts;
}

Buffers withoutHalos(Runtime& runtime, const std::vector<Halo>& halos, Buffers longer) {
  for (auto halo = halos.rbegin(); halo != halos.rend(); ++halo) {
    longer = Exchange(runtime, *halo, longer).shortened();
  }
  return longer;
}

}  // namespace shardlens
