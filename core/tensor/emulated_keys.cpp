#include "core/tensor/emulated_keys.h"

namespace shardlens {
namespace {

bool isOld(const MaskRecordPtr& buffer) {
  return buffer != nullptr && buffer->emulation == Emulation::Before131264;
}

bool areAlike(const PlanKey& a, const PlanKey& b) {
  return a.terms == b.terms && knownTo(a, a.from->spec) == knownTo(b, b.from->spec) &&
         knownTo(a, a.to->spec) == knownTo(b, b.to->spec);
}

}  // namespace

bool equalsNoOther(const MaskRecordPtr& buffer) {
  return isOld(buffer) && buffer->buffer.refcount() > 0;
}

std::optional<PlanKey> eldestAlike(const PlanCache& cache, const PlanKey& key) {
  std::optional<PlanKey> eldest;
  if (!isOld(key.buffer)) return eldest;
  std::uint64_t born = 0;
  cache.visit([&](const auto& entry) {
    const PlanKey& other = entry.key;
    if (!isOld(other.buffer) || equalsNoOther(other.buffer) || !areAlike(key, other)) return true;
    if (!eldest || entry.born < born) {
      born = entry.born;
      eldest = other;
    }
    return true;
  });
  return eldest;
}

Spec knownTo(const PlanKey& key, Spec spec) {
  if (!isOld(key.buffer)) return spec;
  for (auto& placement : spec.placements) {
    auto* masked = std::get_if<MaskPartial>(&placement);
    if (masked == nullptr) continue;
    masked->offsetShape = {masked->offsetShape[static_cast<std::size_t>(masked->offsetDim)]};
    masked->offsetDim = 0;
  }
  return spec;
}

std::string knownBuffer(const MaskRecord& buffer) {
  if (buffer.emulation == Emulation::Torch215) return "#" + std::to_string(buffer.id);
  return buffer.buffer.refcount() > 0 ? "materialized" : "free";
}

}  // namespace shardlens
