#pragma once

#include "core/model/shard_geometry.h"
#include "core/trace/journal/journal.h"
#include "core/view/words/placement_words.h"

#include <QString>
#include <cstdint>
#include <string_view>

namespace shardlens {

// Formatting of numbers and names, shared by all panels. Most functions forward to core/view.

// Converts UTF-8. A text too long to be shown in a row is truncated by view::truncated().
QString toQString(std::string_view text);
// Converts UTF-8 without truncation.
QString wholeText(std::string_view text);
QString bytesText(std::int64_t bytes);           // "288 B", "1.5 MiB"
QString durationText(std::int64_t nanoseconds);  // "8.6 us"; "not finished" if negative
// Returns "-0.93", "4", "nan": at most 2 decimals, an exponent for very large or small values, and
// no decimals for whole-number dtypes.
QString numberText(double value, DType dtype);
// Returns the number with as many digits as fit in `characters`, at most those that identify the
// value in its dtype. Returns an empty string if no digit fits. For a complex dtype, `value` is the
// magnitude, shown as "|5|".
QString fittedNumber(double value, DType dtype, int characters);
// Returns the number of characters that fittedNumber() needs for the value of a real dtype: the
// magnitude and the sign, without further digits.
int fewestCharacters(double value, DType dtype);
// Returns "1 rank", "4 ranks", "0 ranks": `one` for a count of 1, `many` otherwise.
QString countText(std::int64_t count, const QString& one, const QString& many);
QString runsText(const Runs& runs, const QString& word);  // "rows 0–1, 4–5" (3 at most); "row 9"
QString tensorText(const TensorRecord& tensor);           // "f32[6, 3]"
// Returns the placements; for a tensor on another mesh than the recording's also that mesh's ranks:
// "S(0) on ranks 0, 2".
QString placedText(const Journal& journal, const TensorRecord& tensor, view::Notation notation);
// Returns a panel's note, preceded by the behaviour that the recording emulates, if any:
// "torch-2.15 · 1 live".
QString withEmulation(const QString& note, const Journal& journal);
// Returns a row of a table in rich text: a name and a plain value, whose lines do not break between
// a number and its unit. Empty without a value.
QString tableRow(const QString& name, const QString& value);
// "ranks 0–3", "ranks 0, 2", "rank 1"
QString ranksLabel(const std::vector<int>& ranks);

}  // namespace shardlens
