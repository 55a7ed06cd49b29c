#include "core/trace/records/load_record.h"

#include "core/trace/records/json_fields.h"

#include <optional>

namespace shardlens {
namespace {

// Returns nullopt for a list with other elements than integers that are not negative.
std::optional<Extents> extentsOf(const DetailJson& object, const char* key) {
  Extents extents;
  for (const auto& each : listOf(object, key)) {
    const auto extent = integerOf<std::int64_t>(each);
    if (!extent || *extent < 0) return std::nullopt;
    extents.push_back(*extent);
  }
  return extents;
}

std::optional<Box> sliceOf(const DetailJson& object, std::size_t dimensions) {
  auto offsets = extentsOf(object, "offsets"), sizes = extentsOf(object, "sizes");
  const bool isValid =
      offsets && sizes && offsets->size() == dimensions && sizes->size() == dimensions;
  if (!isValid) return std::nullopt;
  return Box{std::move(*offsets), std::move(*sizes)};
}

}  // namespace

LoadRecord readLoad(std::string_view detail) {
  const auto json = parsedJson<DetailJson>(detail);
  if (!json.is_object()) return {};
  auto whole = extentsOf(json, "whole");
  auto slice = whole ? sliceOf(json, whole->size()) : std::nullopt;
  if (!slice) return {};
  LoadRecord load{textOf(json, "stored"), std::move(*whole), std::move(*slice)};
  for (const auto& each : listOf(json, "ranks")) {
    const auto rank = integerOf<int>(each, "rank");
    auto of = sliceOf(each, load.whole.size());
    if (rank && of) load.sliceByRank[*rank] = std::move(*of);
  }
  return load;
}

std::string joinedLoadDetail(const std::map<int, std::string_view>& detailByRank) {
  auto json = parsedJson<DetailJson>(detailByRank.begin()->second);
  if (!json.is_object()) return jsonText(json);
  auto ranks = DetailJson::array();
  for (const auto& [rank, detail] : detailByRank) {
    const auto load = readLoad(detail);
    if (load.stored.empty()) continue;
    ranks.push_back({{"rank", rank}, {"offsets", load.slice.offsets}, {"sizes", load.slice.sizes}});
  }
  json["ranks"] = std::move(ranks);
  return jsonText(json);
}

}  // namespace shardlens
