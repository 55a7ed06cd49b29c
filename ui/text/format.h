#pragma once

#include "core/model/shard_geometry.h"
#include "core/trace/journal/journal.h"

#include <QString>
#include <cstdint>
#include <string_view>

namespace shardlens {

// How numbers and names are written, the same in every panel; core/view says it of most of them.

// As it is shown: of a text too long to be read, the beginning.
QString toQString(std::string_view text);
QString wholeText(std::string_view text);
QString bytesText(std::int64_t bytes);           // "288 B", "1.5 MiB"
QString durationText(std::int64_t nanoseconds);  // "8.6 us"; "not finished" where it has not
QString numberText(double value, DType dtype);   // "-0.93", "4", "nan"
// With as many digits as fit in so many characters, up to all that tell it from its neighbours;
// empty when not even one does. Of a complex number the value is its magnitude: "|5|".
QString fittedNumber(double value, DType dtype, int characters);
QString countText(std::int64_t count, const QString& one, const QString& many);  // "4 ranks"
QString runsText(const Runs& runs, const QString& word);  // "rows 0–1, 4–5"; "row 9"
QString tensorText(const TensorRecord& tensor);           // "f32[6, 3]"
// The placements, and where the tensor lies if not on the recording's mesh: "S(0) on ranks 0, 2".
QString placedText(const Journal& journal, const TensorRecord& tensor);
// A panel's note, after whose behaviour is shown if not the engine's own: "torch-2.15 · 1 live".
QString withEmulation(const QString& note, const Journal& journal);
// "ranks 0–3", "ranks 0, 2", "rank 1"
QString ranksLabel(const std::vector<int>& ranks);

}  // namespace shardlens
