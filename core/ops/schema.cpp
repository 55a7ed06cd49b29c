#include "core/ops/schema.h"

#include "core/base/check.h"

#include <algorithm>

namespace shardlens {

const ArgValue& OpSchema::arg(std::string_view argName) const {
  const auto* found = findArg(argName);
  SL_CHECK(found != nullptr, name + " has no argument " + std::string(argName));
  return *found;
}

const ArgValue* OpSchema::findArg(std::string_view argName) const {
  const auto it =
      std::find_if(args.begin(), args.end(), [&](const Arg& arg) { return arg.name == argName; });
  return it == args.end() ? nullptr : &it->value;
}

std::vector<std::int64_t> OpSchema::intList(std::string_view argName) const {
  const auto* list = std::get_if<std::vector<std::int64_t>>(&arg(argName));
  return list != nullptr ? *list : std::vector<std::int64_t>{};
}

std::string toText(const OpStrategy& strategy) {
  const auto listed = [](const std::vector<Placements>& all) {
    std::string text;
    for (const auto& each : all) text += (text.empty() ? "" : ", ") + toText(each);
    return text;
  };
  return strategy.name + ": " + listed(strategy.inputs) + " -> " + listed(strategy.outputs);
}

}  // namespace shardlens
