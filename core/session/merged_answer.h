#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace shardlens {

// The answer to a scenario that ran on several processes, from those of each, in their order: what
// simulated ranks would have answered. They differ in the ranks they tell of, and in the bytes
// these sent.
nlohmann::ordered_json mergedAnswer(const std::vector<std::string>& answers);

}  // namespace shardlens
