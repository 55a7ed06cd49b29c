#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace shardlens {

// Merges the answers of several processes, in process order, to the answer that simulated ranks
// would give. Concatenates the results' "locals" and adds the collectives' "bytes"; everything else
// is taken from the first. Throws (SL_CHECK) if results or collectives differ. Requires at least
// one answer.
nlohmann::ordered_json mergedAnswer(const std::vector<std::string>& answers);

}  // namespace shardlens
