#pragma once

#include <QString>
#include <optional>

namespace shardlens {

// How well what somebody typed stands for a text: its letters have to come in the text in this
// order, whatever their case, and blanks mean nothing. The more of them begin a word or follow one
// another, the better. None where it does not.
std::optional<int> fuzzyScore(const QString& typed, const QString& text);

}  // namespace shardlens
