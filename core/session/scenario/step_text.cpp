#include "core/session/scenario/step_text.h"

#include "core/base/text.h"

namespace shardlens {
namespace {

using nlohmann::json;

std::string argText(const json& item) {
  if (item.is_string()) {
    const auto& text = item.get_ref<const std::string&>();
    return text.starts_with('$') ? text.substr(1) : text;
  }
  if (!item.is_array()) return item.dump();
  std::string text = "[";
  for (const auto& each : item) text += (text.size() > 1 ? ", " : "") + argText(each);
  return text + "]";
}

class ArgList {
 public:
  void add(const std::string& text) { text_ += (text_.empty() ? "" : ", ") + text; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string textOf(const json& json, const char* key) {
  const auto it = json.find(key);
  return it == json.end() ? std::string() : argText(*it);
}

}  // namespace

std::string stepText(const ScenarioStep& step) {
  ArgList args;
  const json& body = step.json;
  if (const auto it = body.find("args"); it != body.end() && it->is_array()) {
    for (const auto& item : *it) args.add(argText(item));
  }
  if (const auto it = body.find("kwargs"); it != body.end() && it->is_object()) {
    for (const auto& [key, value] : it->items()) args.add(key + "=" + argText(value));
  }
  if (body.contains("shape")) {
    args.add(textOf(body, "shape"));
  } else if (body.contains("data")) {
    constexpr std::size_t kLongest = 40;
    const auto data = textOf(body, "data");
    args.add(data.size() > kLongest ? std::string(beginning(data, kLongest)) + "..." : data);
  }
  if (const auto it = body.find("placements"); it != body.end() && it->is_array()) {
    for (const auto& placement : *it) args.add(argText(placement));
  }
  for (const char* key : {"shard_order", "mesh", "source", "forward_dtype", "backward_dtype"}) {
    if (body.contains(key)) args.add(std::string(key) + "=" + textOf(body, key));
  }
  const std::string call = textOf(body, "call") + "(" + args.text() + ")";
  return body.contains("id") ? step.id + " = " + call : call;
}

}  // namespace shardlens
