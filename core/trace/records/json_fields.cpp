#include "core/trace/records/json_fields.h"

namespace shardlens {

bool isTrue(const DetailJson& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && *found == true;
}

double realOf(const DetailJson& object, const char* key) {
  return optionalRealOf(object, key).value_or(0);
}

std::optional<double> optionalRealOf(const DetailJson& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? std::optional(found->get<double>())
                                                     : std::nullopt;
}

const DetailJson& listOf(const DetailJson& object, const char* key) {
  static const DetailJson kNone = DetailJson::array();
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : kNone;
}

std::vector<std::string> textsOf(const DetailJson& object, const char* key) {
  std::vector<std::string> texts;
  for (const auto& one : listOf(object, key)) {
    if (one.is_string()) texts.push_back(one.get<std::string>());
  }
  if (texts.empty()) {
    if (auto single = textOf(object, key); !single.empty()) texts.push_back(std::move(single));
  }
  return texts;
}

}  // namespace shardlens
