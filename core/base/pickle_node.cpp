#include "core/base/pickle.h"

#include <fmt/core.h>

namespace shardlens {

std::string_view PickleNode::className() const {
  return kind == Kind::Object && parts[0]->kind == Kind::Global ? parts[0]->text
                                                                : std::string_view();
}

const PickleNode* PickleNode::member(std::string_view name) const {
  if (kind == Kind::Object) {
    return parts.size() > 2 && parts[2]->kind == Kind::Dict ? parts[2]->member(name) : nullptr;
  }
  if (kind != Kind::Dict) return nullptr;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    if (parts[i]->kind == Kind::Text && parts[i]->text == name) return parts[i + 1];
  }
  return nullptr;
}

std::string PickleNode::description() const {
  switch (kind) {
    case Kind::None:
      return "None";
    case Kind::Bool:
      return number != 0 ? "True" : "False";
    case Kind::Int:
      return fmt::format("the number {}", number);
    case Kind::Float:
      return "a float";
    case Kind::Text:
      return fmt::format("the text '{}'", text.substr(0, 40));
    case Kind::List:
      return fmt::format("a list of {}", parts.size());
    case Kind::Dict:
      return fmt::format("a dictionary of {}", parts.size() / 2);
    case Kind::Global:
      return std::string(text);
    case Kind::Object:
      return className().empty() ? "an object" : fmt::format("an object of {}", className());
    case Kind::Stored:
      return "a reference to an object outside the pickle";
  }
  return "";
}

}  // namespace shardlens
