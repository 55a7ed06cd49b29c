#include "core/model/hash.h"

namespace shardlens {
namespace {

struct Fields {
  Hasher& hasher;
  void operator()(const Replicate&) const {}
  void operator()(const Shard& p) const { hasher.mix(p.dim); }
  void operator()(const StridedShard& p) const {
    hasher.mix(p.dim);
    hasher.mix(p.splitFactor);
  }
  void operator()(const Partial& p) const {
    hasher.mix(static_cast<int>(p.op));
    hasher.mix(p.factor);
  }
  void operator()(const NormPartial& p) const { hasher.mix(p.norm); }
  void operator()(const MaskPartial& p) const {
    hasher.mix(static_cast<int>(p.op));
    hasher.add(p.offsetShape);
    hasher.mix(p.offsetDim);
  }
};

}  // namespace

void Hasher::add(const Placement& placement) {
  mix(placement.index());
  std::visit(Fields{*this}, placement);
}

}  // namespace shardlens
