#pragma once

#include <c10/util/complex.h>
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>

namespace shardlens {

// Returns true if the value is an integer that fits int64.
bool isInt64(const nlohmann::json& item);

// Returns a number of a scenario: a JSON number, or the text "nan", "inf" or "-inf". Returns
// nullopt for other values.
std::optional<double> jsonNumber(const nlohmann::json& item);

// Parses a complex number, written as text in Python's form without brackets: "1+2j", "-2j",
// "nan-infj". Returns nullopt for other values.
std::optional<c10::complex<double>> jsonComplex(const nlohmann::json& item);

}  // namespace shardlens
