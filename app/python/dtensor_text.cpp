#include "app/python/dtensor_text.h"

#include <fmt/core.h>

namespace shardlens {
namespace {

std::string torchSize(const Shape& shape) { return "torch.Size(" + toText(shape) + ")"; }

// Returns the text between the parentheses of toText(p). Requires a notation with parentheses.
std::string inside(const Placement& p) {
  const std::string text = toText(p);
  const auto begin = text.find('(') + 1;
  return text.substr(begin, text.size() - 1 - begin);
}

struct Short {
  template <class Kind>
  std::string operator()(const Kind& p) const {
    return toText(Placement(p));
  }
  std::string operator()(const StridedShard& p) const { return "_S(" + inside(p) + ")"; }
  std::string operator()(const NormPartial& p) const { return "_NormP(" + inside(p) + ")"; }
  std::string operator()(const MaskPartial& p) const {
    return fmt::format("MaskP({}, {}, {})", reduceOpName(p.op), torchSize(p.offsetShape),
                       p.offsetDim);
  }
};

struct Long {
  std::string operator()(const Replicate&) const { return "Replicate()"; }
  std::string operator()(const Shard& p) const { return fmt::format("Shard(dim={})", p.dim); }
  std::string operator()(const StridedShard& p) const {
    return fmt::format("_StridedShard(dim={}, sf={})", p.dim, p.splitFactor);
  }
  std::string operator()(const Partial& p) const { return "Partial(" + inside(p) + ")"; }
  std::string operator()(const NormPartial& p) const { return "_NormPartial(" + inside(p) + ")"; }
  std::string operator()(const MaskPartial& p) const {
    return fmt::format("_MaskPartial(reduce_op={}, offset_shape={}, offset_dim={})",
                       reduceOpName(p.op), torchSize(p.offsetShape), p.offsetDim);
  }
};

}  // namespace

std::string dtensorStr(const Placement& p) { return std::visit(Short{}, p); }
std::string dtensorRepr(const Placement& p) { return std::visit(Long{}, p); }

}  // namespace shardlens
