#include "core/session/scenario/json_number.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <limits>
#include <string_view>

namespace shardlens {
namespace {

// Removes a number from the beginning of `text` and returns it. The sign may be "+".
std::optional<double> taken(std::string_view& text) {
  const bool isPlus = text.starts_with('+');
  const char* const begin = text.data() + (isPlus ? 1 : 0);
  if (isPlus && text.substr(1).starts_with('-')) return std::nullopt;
  double number = 0;
  const auto [stop, error] = std::from_chars(begin, text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return number;
}

}  // namespace

bool isInt64(const nlohmann::json& item) {
  const bool isHuge = item.is_number_unsigned() && item.get<std::uint64_t>() > INT64_MAX;
  return item.is_number_integer() && !isHuge;
}

std::optional<double> jsonNumber(const nlohmann::json& item) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (item.is_number()) return item.get<double>();
  if (item == "inf") return kInfinity;
  if (item == "-inf") return -kInfinity;
  if (item == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

std::optional<c10::complex<double>> jsonComplex(const nlohmann::json& item) {
  if (!item.is_string()) return std::nullopt;
  std::string_view text = item.get_ref<const std::string&>();
  const auto first = taken(text);
  if (!first) return std::nullopt;
  if (text == "j") return c10::complex<double>(0, *first);
  if (!text.starts_with('+') && !text.starts_with('-')) return std::nullopt;
  const auto second = taken(text);
  if (!second || text != "j") return std::nullopt;
  return c10::complex<double>(*first, *second);
}

}  // namespace shardlens
