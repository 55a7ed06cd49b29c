#include "core/query/language/query_fields.h"

#include "core/model/placement.h"
#include "core/model/rank_selector.h"

#include <algorithm>
#include <array>

namespace shardlens {

namespace {

constexpr std::array<std::string_view, 12> kKinds = {
    "cache",    "check", "collective",   "compute", "error", "mask",
    "operator", "plan",  "redistribute", "result",  "step",  "strategy"};
constexpr std::array<std::string_view, 6> kCaches = {"evicted", "hit",  "miss",
                                                     "off",     "plan", "strategy"};
constexpr std::array<std::string_view, 6> kPlacements = {"MaskP", "NormP", "P", "R", "S", "SS"};
constexpr std::array<std::string_view, 2> kPasses = {"backward", "forward"};

using enum FieldType;

constexpr std::array kFields = {
    FieldInfo{Field::Axis, "axis", Text, Unit::None, {}, "mesh dimension of a collective"},
    FieldInfo{Field::Buffer, "buffer", Number, Unit::None, {}, "mask buffer"},
    FieldInfo{Field::Bytes,
              "bytes",
              Amount,
              Unit::Bytes,
              {},
              "bytes sent by the hosted ranks, for a redistribution by its collectives"},
    FieldInfo{Field::Cache, "cache", Word, Unit::None, kCaches, "result of a cache lookup"},
    FieldInfo{Field::Device, "device", Text, Unit::None, {}, "GPU and stream"},
    FieldInfo{Field::DType, "dtype", Text, Unit::None, {}, "dtype of a tensor of the event"},
    FieldInfo{Field::Exposed,
              "exposed",
              Amount,
              Unit::Time,
              {},
              "time for which a collective of a job blocked its rank"},
    FieldInfo{Field::File, "file", Text, Unit::None, {}, "source file of the call site"},
    FieldInfo{Field::Group, "group", Text, Unit::None, {}, "process group of a collective"},
    FieldInfo{Field::Id, "id", Number, Unit::None, {}, "number of the event"},
    FieldInfo{Field::Kind, "kind", Word, Unit::None, kKinds, "kind of the event"},
    FieldInfo{Field::Line, "line", Number, Unit::None, {}, "line of the program"},
    FieldInfo{Field::Module, "module", Text, Unit::None, {}, "module path of the call site"},
    FieldInfo{Field::Name, "name", Text, Unit::None, {}, "name of the event"},
    FieldInfo{Field::Op, "op", Text, Unit::None, {}, "operator that contains the event"},
    FieldInfo{Field::Pass, "pass", Word, Unit::None, kPasses, "pass of the call site"},
    FieldInfo{
        Field::Placement, "placement", Text, Unit::None, {}, "placement of a tensor of the event"},
    FieldInfo{
        Field::Rank, "rank", Number, Unit::None, {}, "ranks that took part, as 0-3 or (dp=1 tp=0)"},
    FieldInfo{Field::Refcount,
              "refcount",
              Number,
              Unit::None,
              {},
              "refcount of a mask buffer after the event"},
    FieldInfo{Field::Role, "role", Number, Unit::None, {}, "role of a rank that took part"},
    FieldInfo{Field::Sequence,
              "sequence",
              Number,
              Unit::None,
              {},
              "number of a collective in its process group"},
    FieldInfo{Field::Step, "step", Number, Unit::None, {}, "step of the program, from 1"},
    FieldInfo{Field::Tensor, "tensor", Text, Unit::None, {}, "name of a tensor of the event"},
    FieldInfo{Field::Time, "time", Amount, Unit::Time, {}, "duration"},
};

bool has(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string joinedWords(std::span<const std::string_view> words) {
  std::string all;
  for (const auto word : words) all += (all.empty() ? "" : ", ") + std::string(word);
  return all;
}

std::string knownFields() {
  std::string all;
  for (const auto& field : kFields) all += (all.empty() ? "" : ", ") + std::string(field.name);
  return all;
}

// Returns what was expected instead of `value`, or "" if it is valid.
std::string expected(const FieldInfo& field, const std::string& value) {
  switch (field.type) {
    case Word:
      return has(field.words, value) ? "" : joinedWords(field.words);
    case Number:
      if (field.field == Field::Rank && selectsByAxis(value)) {
        return parseRankSelector(value) ? "" : "coordinates such as (dp=1,3 tp=0)";
      }
      return parseRange(value) ? "" : "a number, or a range such as 0-3";
    case Amount:
      if (parseQuantity(value, field.unit)) return "";
      return field.unit == Unit::Bytes ? "an amount such as 4096, 1MB or 1.5KiB"
                                       : "a time such as 500ns, 20us, 1.5ms or 2s";
    case Text:
      if (field.field != Field::Placement || has(kPlacements, value) || parsePlacement(value)) {
        return "";
      }
      return "a placement such as S(0) or P(sum), or a kind: " + joinedWords(kPlacements);
  }
  return "";
}

}  // namespace

std::span<const FieldInfo> queryFields() { return kFields; }

const FieldInfo* findField(std::string_view name) {
  const auto found = std::find_if(kFields.begin(), kFields.end(),
                                  [&](const FieldInfo& field) { return field.name == name; });
  return found == kFields.end() ? nullptr : &*found;
}

std::optional<QueryMistake> checkTerm(const Term& term) {
  if (term.field.empty()) return std::nullopt;
  const auto mistake = [&](std::string message) {
    return QueryMistake{term.at, term.length, std::move(message)};
  };
  const FieldInfo* field = findField(term.field);
  if (field == nullptr) {
    return mistake("got the field " + term.field + ", expected " + knownFields());
  }
  const bool isOrdered = field->type == Number || field->type == Amount;
  if (term.relation != Term::Relation::Is && (!isOrdered || term.values.size() != 1)) {
    return mistake(term.field + ": expected \":\" and a value");
  }
  if (std::ranges::any_of(term.values, selectsByAxis) && field->field == Field::Rank &&
      (term.values.size() > 1 || term.relation != Term::Relation::Is)) {
    return mistake("rank: expected all coordinates in brackets, such as rank:(dp=1,3 tp=0)");
  }
  for (const auto& value : term.values) {
    if (const auto expectation = expected(*field, value); !expectation.empty()) {
      return mistake(term.field + ": got " + value + ", expected " + expectation);
    }
  }
  return std::nullopt;
}

}  // namespace shardlens
