#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// A tensor that an operator was called with, as "w: f32[10, 3](S(0))".
struct ArgumentRecord {
  std::string name;  // "_" of one without a name
  std::string spec;
  bool operator==(const ArgumentRecord&) const = default;
};
std::string toText(const ArgumentRecord& argument);

// What the detail of an Operator event says: its tensors, in order.
struct OperatorRecord {
  std::vector<ArgumentRecord> arguments = {};
  bool operator==(const OperatorRecord&) const = default;
};

std::string operatorDetail(const OperatorRecord& call);
OperatorRecord readOperator(std::string_view detail);

}  // namespace shardlens
