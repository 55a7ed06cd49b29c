#include "core/tensor/dispatch/unknown_operator.h"

#include <algorithm>

namespace shardlens {
namespace {

bool sharesMemory(const c10::FunctionSchema& schema) {
  const auto aliases = [](const c10::Argument& one) { return one.alias_info() != nullptr; };
  return std::any_of(schema.arguments().begin(), schema.arguments().end(), aliases) ||
         std::any_of(schema.returns().begin(), schema.returns().end(), aliases);
}

}  // namespace

const Rule& wholeRule() {
  static const Rule kRule{.family = "unknown", .singleDimStrategies = [](const OpSchema&) {
                            return std::vector<SingleDimStrategy>();
                          }};
  return kRule;
}

std::string whyNotWhole(const OpEntry& entry) {
  if (!entry.writtenArgs.empty()) return ": it writes into its arguments";
  if (sharesMemory(entry.op.schema())) return ": its result shares memory with an argument";
  if (entry.op.hasTag(at::Tag::nondeterministic_seeded)) return ": it draws random numbers";
  if (entry.op.hasTag(at::Tag::dynamic_output_shape) ||
      entry.op.hasTag(at::Tag::data_dependent_output)) {
    return ": what it gives back depends on values";
  }
  // Some write running statistics without declaring it in their schemas.
  if (entry.name.find("batch_norm") != std::string::npos) return ": it may write statistics";
  return {};
}

std::string whyNoRule(const OpEntry& entry) {
  const auto names = [&](std::string_view part) {
    return entry.name.find(part) != std::string::npos;
  };
  if (names("sparse") || names("coalesce")) {
    return ": sparse tensors are not sharded, as which elements they hold depends on values";
  }
  if (names("hash_tensor")) {
    return ": its result is of uint64, an element type that is not supported on sharded tensors";
  }
  return {};
}

}  // namespace shardlens
