#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace shardlens {

// Changes of a JSON text, perhaps with comments, that leave all else as it was written: order,
// layout and comments. Places are JSON pointers, as "/steps/2/placements/0".

// On one line, as people write it: {"shape": [4], "names": ["tp"]}.
std::string spacedJson(const nlohmann::ordered_json& value);

// With another value there, which has to be there already. Of a list that stays as long as it is
// only the items change that differ.
std::string withValue(std::string text, const std::string& place,
                      const nlohmann::ordered_json& value);

// With this value under the key of the object; where it has no such key yet, the member comes after
// the one that is named, else last.
std::string withMember(std::string text, const std::string& object, const std::string& key,
                       const nlohmann::ordered_json& value, std::string_view after = {});

// With another item in the list behind the one that has this place, which is there.
std::string withItem(std::string text, const std::string& list, std::size_t after,
                     const nlohmann::ordered_json& item);

// Without the key of the object, which need not be there.
std::string withoutMember(std::string text, const std::string& object, const std::string& key);

}  // namespace shardlens
