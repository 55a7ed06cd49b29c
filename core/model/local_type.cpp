#include "core/model/local_type.h"

#include <array>

namespace shardlens {
namespace {

constexpr std::array<std::string_view, 4> kTexts{"R", "I", "V", "P"};

}  // namespace

std::string_view toText(LocalType type) { return kTexts[static_cast<std::size_t>(type)]; }

std::optional<LocalType> parseLocalType(std::string_view text) {
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    if (text == kTexts[i]) return static_cast<LocalType>(i);
  }
  return std::nullopt;
}

std::optional<Placement> placementOf(LocalType type) {
  switch (type) {
    case LocalType::Replicate:
    case LocalType::Invariant:
      return Replicate{};
    case LocalType::Partial:
      return Partial{};
    case LocalType::Varying:
      break;
  }
  return std::nullopt;
}

}  // namespace shardlens
