#include "core/trace/records/operator_record.h"

#include "core/trace/records/json_fields.h"

namespace shardlens {
namespace {

constexpr std::string_view kBetween = ": ";

}  // namespace

std::string toText(const ArgumentRecord& argument) {
  if (argument.spec.empty()) return argument.name;
  return argument.name + std::string(kBetween) + argument.spec;
}

std::string operatorDetail(const OperatorRecord& call) {
  DetailJson detail;
  DetailJson& list = detail["args"] = DetailJson::array();
  for (const auto& argument : call.arguments) list.push_back(toText(argument));
  return jsonText(detail);
}

OperatorRecord readOperator(std::string_view detail) {
  OperatorRecord call;
  for (const auto& text : textsOf(parsedJson<DetailJson>(detail), "args")) {
    const auto end = text.find(kBetween);
    if (end == std::string::npos) {
      call.arguments.push_back({text, ""});
    } else {
      call.arguments.push_back({text.substr(0, end), text.substr(end + kBetween.size())});
    }
  }
  return call;
}

}  // namespace shardlens
