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

// What JSON and pickles have in common: nothing, a truth, a number, a text, a list (or tuple), and
// named members. Asking a value for what it is not gives nothing, as does a member that is missing.
// Copies share what is in them, as in a
// pickle.
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

  bool isNothing() const { return std::holds_alternative<std::monostate>(value_); }
  bool isTrue() const;
  std::int64_t integer() const;  // also of a text that is one; else 0
  double number() const;         // else 0
  const std::string& text() const;
  std::string asKey() const;  // a text or a number
  const PlainList& list() const;
  const PlainMembers& members() const;
  const PlainValue& operator[](std::string_view member) const;

  std::shared_ptr<PlainList> sharedList() const;
  std::shared_ptr<PlainMembers> sharedMembers() const;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::shared_ptr<const std::string>,
               std::shared_ptr<PlainList>, std::shared_ptr<PlainMembers>>
      value_;
};

// The value that comes next; one of more than 64 MiB is refused.
PlainValue readPlain(JsonReader& json);

}  // namespace shardlens
