#include "core/trace/records/operator_record_format1.h"

#include "core/trace/records/json_fields.h"

namespace shardlens {

std::vector<std::string> readOperatorFormat1(std::string_view detail) {
  auto arguments = textsOf(parsedJson<DetailJson>(detail), "args");
  for (auto& argument : arguments) argument.resize(std::min(argument.find(": "), argument.size()));
  return arguments;
}

}  // namespace shardlens
