#include "core/trace/records/lookup_record.h"

#include "core/model/notation.h"
#include "core/model/route.h"
#include "core/trace/records/json_fields.h"
#include "core/trace/records/trace_rows.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace shardlens {
namespace {

DetailJson keyPlacementsJson(const Placements& placements) {
  DetailJson list = DetailJson::array();
  for (const auto& placement : placements) list.push_back(toText(placement));
  return list;
}

struct PartJson {
  DetailJson operator()(const std::string& text) const { return text; }
  DetailJson operator()(const Placements& placements) const {
    return keyPlacementsJson(placements);
  }
  DetailJson operator()(const LookupTensor& tensor) const {
    return {{"dtype", dtypeName(tensor.dtype)},
            {"shape", tensor.shape},
            {"placements", keyPlacementsJson(tensor.placements)}};
  }
};

struct PartText {
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(const Placements& placements) const { return toText(placements); }
  std::string operator()(const LookupTensor& tensor) const { return toText(tensor); }
};

std::optional<Placements> readKeyPlacements(const DetailJson& list) {
  if (!list.is_array()) return std::nullopt;
  Placements placements;
  for (const auto& text : list) {
    if (!text.is_string()) return std::nullopt;
    auto placement = parsePlacement(text.get_ref<const std::string&>());
    if (!placement) return std::nullopt;
    placements.push_back(std::move(*placement));
  }
  return placements;
}

std::optional<LookupTensor> readKeyTensor(const DetailJson& object) {
  const auto dtype = parseDType(textOf(object, "dtype"));
  auto placements = readKeyPlacements(listOf(object, "placements"));
  if (!dtype || !placements) return std::nullopt;
  LookupTensor tensor{*dtype, {}, std::move(*placements)};
  for (const auto& each : listOf(object, "shape")) {
    const auto size = integerOf<std::int64_t>(each);
    if (!size || *size < 0) return std::nullopt;
    tensor.shape.push_back(*size);
  }
  return fit(tensor.placements, tensor.shape) ? std::optional(std::move(tensor)) : std::nullopt;
}

std::optional<LookupValue> readKeyPart(const DetailJson& part) {
  if (part.is_string()) return part.get<std::string>();
  if (part.is_object()) return readKeyTensor(part);
  return readKeyPlacements(part);
}

// Reads a name and one or more parts.
std::optional<LookupField> readKeyField(const DetailJson& row) {
  if (!row.is_array() || row.size() < 2 || !row[0].is_string()) return std::nullopt;
  LookupField field{row[0].get<std::string>(), {}};
  for (std::size_t i = 1; i < row.size(); ++i) {
    auto part = readKeyPart(row[i]);
    if (!part) return std::nullopt;
    field.value.append(*part);
  }
  return field;
}

// The longest text of a shape, or of placements, that is parsed.
constexpr std::size_t kLongest = 1024;

// Returns the end of the bracket that begins at `open`; npos if it is not closed soon.
std::size_t endOfBracket(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < std::min(text.size(), open + kLongest); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return text.npos;
}

// Returns the tensor whose placements begin at the bracket `open`, and sets where its text begins
// and ends.
std::optional<LookupTensor> tensorAround(std::string_view text, std::size_t open,
                                         std::size_t& begin, std::size_t& end) {
  if (open == 0 || text[open - 1] != ']') return std::nullopt;
  const auto first = open - std::min(open, kLongest);
  const auto sizes = text.substr(first, open - first).rfind('[');
  end = endOfBracket(text, open);
  if (sizes == text.npos || end == text.npos) return std::nullopt;
  const auto isOfWord = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0;
  };
  for (begin = first + sizes; begin > first && isOfWord(text[begin - 1]);) --begin;
  const auto dtype = parseDType(text.substr(begin, first + sizes - begin));
  auto shape = parseShapeJson(text.substr(first + sizes, open - first - sizes));
  auto placements = parsePlacements(text.substr(open, end - open));
  if (!dtype || !shape || !placements || !fit(*placements, *shape)) return std::nullopt;
  LookupTensor tensor{*dtype, std::move(*shape), std::move(*placements)};
  if (toText(tensor) != text.substr(begin, end - begin)) return std::nullopt;
  return tensor;
}

}  // namespace

LookupValue parseLookupValue(std::string_view text) {
  LookupValue value;
  if (const auto route = parseRoute(text)) {
    for (const auto& placements : *route) {
      if (!value.parts().empty()) value.append(" -> ");
      value.append(placements);
    }
    if (toText(value) == text) return value;
    value = {};
  }
  std::size_t from = 0, begin = 0, end = 0;
  for (auto open = text.find('('); open != text.npos; open = text.find('(', open + 1)) {
    auto tensor = tensorAround(text, open, begin, end);
    if (!tensor || begin < from) continue;
    if (begin > from) value.append(text.substr(from, begin - from));
    value.append(std::move(*tensor));
    from = end;
    open = end - 1;
  }
  if (from < text.size()) value.append(text.substr(from));
  return value;
}

void LookupValue::add(Part part) {
  auto* text = std::get_if<std::string>(&part);
  auto* before = parts_.empty() ? nullptr : std::get_if<std::string>(&parts_.back());
  if (text != nullptr && before != nullptr) {
    *before += *text;
  } else {
    parts_.push_back(std::move(part));
  }
}

LookupValue& LookupValue::append(const LookupValue& other) {
  for (const Part& part : other.parts()) add(part);
  return *this;
}

std::string toText(const LookupTensor& tensor) {
  return std::string(dtypeShortName(tensor.dtype)) + toText(tensor.shape) +
         toText(tensor.placements);
}

std::string toText(const LookupValue& value) {
  std::string text;
  for (const auto& part : value.parts()) text += std::visit(PartText(), part);
  return text;
}

std::string lookupDetail(const LookupRecord& lookup) {
  DetailJson detail;
  if (!lookup.fields.empty()) {
    DetailJson& fields = detail["fields"] = DetailJson::array();
    for (const auto& field : lookup.fields) {
      DetailJson& row = fields.emplace_back(DetailJson::array({field.name}));
      for (const auto& part : field.value.parts()) row.push_back(std::visit(PartJson(), part));
    }
  }
  if (lookup.verified) detail["verified"] = true;
  return detail.empty() ? std::string() : jsonText(detail);
}

LookupRecord readLookup(std::string_view detail) {
  LookupRecord lookup;
  if (detail.empty()) return lookup;
  const auto object = parsedJson<DetailJson>(detail);
  if (!object.is_object()) return lookup;
  for (const auto& row : listOf(object, "fields")) {
    if (auto field = readKeyField(row)) lookup.fields.push_back(std::move(*field));
  }
  lookup.verified = isTrue(object, "verified");
  return lookup;
}

std::string keyText(const std::vector<LookupField>& fields) {
  std::string text;
  for (const auto& field : fields) text += (text.empty() ? "" : ", ") + toText(field.value);
  return text;
}

}  // namespace shardlens
