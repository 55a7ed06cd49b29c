#pragma once

#include <QString>
#include <optional>

namespace shardlens {

// Returns how well the typed letters match the text, higher is better; nullopt if they do not
// match. The letters must appear in the text in this order. Case and blanks are ignored. Letters
// that begin a word or follow each other score higher. An empty `typed` matches everything with 0.
std::optional<int> fuzzyScore(const QString& typed, const QString& text);

}  // namespace shardlens
