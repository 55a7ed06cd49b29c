#include "core/session/check/unset_values.h"

#include "core/model/operator_words.h"

#include <algorithm>
#include <string_view>

namespace shardlens {
namespace {

// Returns the operator's name without overload, as "fill_" of "aten.fill_.Scalar", else the call.
std::string operatorOf(const std::string& call) {
  constexpr std::string_view prefix = "aten.";
  if (!call.starts_with(prefix)) return call;
  return call.substr(prefix.size(), call.find('.', prefix.size()) - prefix.size());
}

// Returns the name that an argument refers to, or "" if it is no result of a step.
std::string nameOf(const nlohmann::json& argument) {
  if (!argument.is_string()) return "";
  const auto text = argument.get<std::string>();
  return text.starts_with('$') ? text.substr(1) : "";
}

}  // namespace

bool UnsetValues::areResultsOf(const ScenarioStep& step) const {
  const StepReader reader(step, {});
  const std::string name = operatorOf(reader.call());
  if (isAllocation(name)) return true;
  const bool readsShapeOnly = name.ends_with("_like") || name.starts_with("new_");
  if (readsShapeOnly) return false;
  auto args = reader.args();
  if (isSetter(name) && !args.empty()) args.erase(0);
  auto kwargs = reader.kwargs();
  if (kwargs.is_object()) kwargs.erase("out");
  return hasUnset(args) || hasUnset(kwargs);
}

bool UnsetValues::hasUnset(const nlohmann::json& argument) const {
  if (argument.is_string()) {
    const auto& text = argument.get_ref<const std::string&>();
    return text.starts_with('$') && names_.contains(std::string_view(text).substr(1));
  }
  return argument.is_structured() && std::any_of(argument.begin(), argument.end(),
                                                 [&](const auto& item) { return hasUnset(item); });
}

void UnsetValues::note(const ScenarioStep& step, const std::vector<NamedResult>& results,
                       bool areUnset) {
  const StepReader reader(step, {});
  const std::string name = operatorOf(reader.call());
  std::vector<std::string> written;
  for (const auto& result : results) written.push_back(result.name);
  const auto args = reader.args(), kwargs = reader.kwargs();
  if (name.ends_with('_') && !args.empty()) written.push_back(nameOf(args.front()));
  if (kwargs.is_object() && kwargs.contains("out")) written.push_back(nameOf(kwargs["out"]));
  for (auto& each : written) {
    if (areUnset) {
      names_.insert(std::move(each));
    } else {
      names_.erase(each);
    }
  }
}

}  // namespace shardlens
