#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace shardlens {

// On one line. What is no UTF-8, as in the name of a file, is replaced rather than refused.
template <class Json>
std::string jsonText(const Json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace shardlens
