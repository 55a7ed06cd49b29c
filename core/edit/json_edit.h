#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace shardlens {

// Edits of a JSON text that leave the rest as it is written: member order, white space, comments.
// The text must be valid JSON and may have comments. Places and objects are addressed by JSON
// pointers, such as "/steps/2/placements/0", without the escapes ~0 and ~1.

// Returns the value on one line with spaces after commas and colons: {"shape": [4], "dim": 0}.
std::string spacedJson(const nlohmann::ordered_json& value);

// Replaces the value at `place`; returns the text unchanged if there is none. If both values are
// lists of the same length, replaces only the items that differ.
std::string withValue(std::string text, const std::string& place,
                      const nlohmann::ordered_json& value);

// Sets a member of the object. A new member is inserted after the member named `after`, or last if
// there is none of that name. Returns the text unchanged if the object is missing.
std::string withMember(std::string text, const std::string& object, const std::string& key,
                       const nlohmann::ordered_json& value, std::string_view after = {});

// Inserts an item into the list behind the item with index `after`. Returns the text unchanged if
// there is no such item.
std::string withItem(std::string text, const std::string& list, std::size_t after,
                     const nlohmann::ordered_json& item);

// Removes a member of the object. Returns the text unchanged if the member is missing.
std::string withoutMember(std::string text, const std::string& object, const std::string& key);

}  // namespace shardlens
