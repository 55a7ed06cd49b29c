#include "core/model/placement.h"

#include <algorithm>
#include <array>

namespace shardlens {
namespace {

constexpr std::array<std::string_view, 9> kOpNames = {"sum",  "avg", "min",  "max",       "product",
                                                      "band", "bor", "bxor", "premul_sum"};

bool reduceAlike(const Placement& a, const Placement& b) {
  const auto sums = [](const Placement& p) {
    return partialOp(p) == ReduceOp::Sum || partialOp(p) == ReduceOp::Avg;
  };
  // Masks of different tables are masks of different ids.
  if (isMaskPartial(a) && isMaskPartial(b)) return a == b;
  if (sums(a) && sums(b)) return true;
  if (isMaskPartial(a) != isMaskPartial(b)) return partialOp(a) == partialOp(b);
  return a == b;
}

}  // namespace

std::string_view reduceOpName(ReduceOp op) { return kOpNames[static_cast<std::size_t>(op)]; }

Result<ReduceOp> parseReduceOp(std::string_view name) {
  for (std::size_t i = 0; i < kOpNames.size(); ++i) {
    if (name == kOpNames[i]) return static_cast<ReduceOp>(i);
  }
  return fail("unrecognized reduce op '" + std::string(name) +
              "', expected sum, avg, min, max, product, band, bor, bxor or premul_sum");
}

bool isPartial(const Placement& p) {
  return std::holds_alternative<Partial>(p) || std::holds_alternative<NormPartial>(p) ||
         std::holds_alternative<MaskPartial>(p);
}

bool hasMask(const Placements& placements) {
  return std::any_of(placements.begin(), placements.end(), isMaskPartial);
}

bool takesWhole(const Placement& p) {
  if (std::holds_alternative<NormPartial>(p)) return true;
  const auto* partial = std::get_if<Partial>(&p);
  if (partial == nullptr) return false;
  return partial->op == ReduceOp::Sum || partial->op == ReduceOp::Avg ||
         partial->op == ReduceOp::Min || partial->op == ReduceOp::Max;
}

std::optional<int> shardedDim(const Placement& p) {
  if (const auto* shard = std::get_if<Shard>(&p)) return shard->dim;
  if (const auto* strided = std::get_if<StridedShard>(&p)) return strided->dim;
  return std::nullopt;
}

std::optional<ReduceOp> partialOp(const Placement& p) {
  if (const auto* partial = std::get_if<Partial>(&p)) return partial->op;
  if (const auto* masked = std::get_if<MaskPartial>(&p)) return masked->op;
  return std::nullopt;
}

Placements kindsOfPartial(const Placements& placements) {
  Placements kinds;
  for (const auto& p : placements) {
    const bool known = std::any_of(kinds.begin(), kinds.end(),
                                   [&](const auto& kind) { return reduceAlike(kind, p); });
    if (isPartial(p) && !known) kinds.push_back(p);
  }
  return kinds;
}

}  // namespace shardlens
