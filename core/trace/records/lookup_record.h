#pragma once

#include "core/model/dtype.h"
#include "core/model/placement.h"

#include <concepts>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shardlens {

// A tensor in a cache key.
struct LookupTensor {
  DType dtype = DType::Float32;
  Shape shape = {};
  Placements placements = {};
  bool operator==(const LookupTensor&) const = default;
};

// The value of a field of a cache key: a sequence of texts, placements and tensors. Two values are
// equal if their texts are, unless one of them has placements as text.
class LookupValue {
 public:
  using Part = std::variant<std::string, Placements, LookupTensor>;

  LookupValue() = default;
  template <std::convertible_to<std::string_view> Text>
  LookupValue(const Text& text) {
    add(std::string(text));
  }
  LookupValue(Placements placements) { add(std::move(placements)); }
  LookupValue(LookupTensor tensor) { add(std::move(tensor)); }

  const std::vector<Part>& parts() const { return parts_; }
  // Appends all parts of another value. Joins adjacent texts.
  LookupValue& append(const LookupValue& other);
  bool operator==(const LookupValue&) const = default;

 private:
  void add(Part part);

  std::vector<Part> parts_;
};

// Returns "f32[10, 3](S(0))", "(S(0), R)", "[f32[4](R), None]".
std::string toText(const LookupTensor& tensor);
std::string toText(const LookupValue& value);

// Parses a text in which tensors are written as toText() writes them, such as the description of a
// call by torch. A text of placements or of a route becomes placements.
LookupValue parseLookupValue(std::string_view text);

// A field of a cache key: "arg 0" is "f32[10, 3](S(0))".
struct LookupField {
  std::string name;
  LookupValue value;
  bool operator==(const LookupField&) const = default;
};

// The detail of a CacheLookup event. A hit has no fields; its key is recorded with the miss that
// created the entry.
struct LookupRecord {
  std::vector<LookupField> fields = {};  // of a miss, or of a lookup in a disabled cache
  bool verified = false;                 // a hit whose answer was recomputed and compared
  bool operator==(const LookupRecord&) const = default;
};

// Convert a record to and from the JSON of the detail, "" for an empty record. Reading skips
// malformed members.
std::string lookupDetail(const LookupRecord& lookup);
LookupRecord readLookup(std::string_view detail);

// Returns the key as text: the texts of its fields, without their names, joined with ", ".
std::string keyText(const std::vector<LookupField>& fields);

}  // namespace shardlens
