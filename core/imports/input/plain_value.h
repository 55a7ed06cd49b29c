#pragma once

#include "core/imports/input/json_reader.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace shardlens {

class PlainValue;
using PlainList = std::vector<PlainValue>;
using PlainMembers = std::vector<std::pair<std::string, PlainValue>>;

// A JSON-like value: nothing, bool, number, text, list (or tuple) or named members. Accessors for
// another kind return an empty value, and so does operator[] for a missing member. Copies share
// lists, members and texts.
class PlainValue {
 public:
  PlainValue() = default;
  explicit PlainValue(bool value) : value_(value) {}
  explicit PlainValue(std::int64_t value) : value_(value) {}
  explicit PlainValue(double value) : value_(value) {}
  explicit PlainValue(std::string value)
      : value_(std::make_shared<const std::string>(std::move(value))) {}
  explicit PlainValue(std::shared_ptr<PlainList> value) : value_(std::move(value)) {}
  explicit PlainValue(std::shared_ptr<PlainMembers> value) : value_(std::move(value)) {}

  bool isMissing() const { return std::holds_alternative<std::monostate>(value_); }
  bool isTrue() const;
  // Also parses the leading digits of a text. 0 for other kinds, including doubles.
  std::int64_t integer() const;
  double number() const;            // also of integer(); else 0
  const std::string& text() const;  // "" for other kinds
  std::string asKey() const;        // a text, or an integer as text; "" for other kinds
  const PlainList& list() const;
  const PlainMembers& members() const;
  // Returns the first member of this name, by linear search.
  const PlainValue& operator[](std::string_view member) const;

  // Return the shared container, or null for other kinds.
  std::shared_ptr<PlainList> sharedList() const;
  std::shared_ptr<PlainMembers> sharedMembers() const;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::shared_ptr<const std::string>,
               std::shared_ptr<PlainList>, std::shared_ptr<PlainMembers>>
      value_;
};

// Reads the next value. Throws BadDump for more than 64 MiB or 4 million values.
PlainValue readPlain(JsonReader& json);

}  // namespace shardlens
