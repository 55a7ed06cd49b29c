#pragma once

#include <c10/util/complex.h>
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>

namespace shardlens {

// Whether it is a number without a fraction that 64 bits hold.
bool isInt64(const nlohmann::json& item);

// A number as scenarios write it. What is no number in JSON is a text, as answers have it: "nan",
// "inf", "-inf".
std::optional<double> jsonNumber(const nlohmann::json& item);

// "1+2j", "-2j", "nan-infj": a text that ends with j, as Python writes a complex number without its
// brackets.
std::optional<c10::complex<double>> jsonComplex(const nlohmann::json& item);

}  // namespace shardlens
