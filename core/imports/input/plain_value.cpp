#include "core/imports/input/plain_value.h"

#include "core/base/real_number.h"

#include <charconv>
#include <type_traits>

namespace shardlens {

namespace {

// Returns the value pointed to, or a static empty one.
template <class T>
const T& held(const std::shared_ptr<T>* value) {
  static const std::remove_const_t<T> kNone;
  return value == nullptr || *value == nullptr ? kNone : **value;
}

}  // namespace

bool PlainValue::isTrue() const {
  const auto* value = std::get_if<bool>(&value_);
  return value != nullptr && *value;
}

std::int64_t PlainValue::integer() const {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return *value;
  std::int64_t number = 0;
  const std::string& its = text();
  std::from_chars(its.data(), its.data() + its.size(), number);
  return number;
}

const std::string& PlainValue::text() const {
  return held(std::get_if<std::shared_ptr<const std::string>>(&value_));
}

double PlainValue::number() const {
  const auto* value = std::get_if<double>(&value_);
  return value != nullptr ? *value : static_cast<double>(integer());
}

std::string PlainValue::asKey() const {
  const auto* number = std::get_if<std::int64_t>(&value_);
  return number == nullptr ? text() : std::to_string(*number);
}

const PlainList& PlainValue::list() const {
  return held(std::get_if<std::shared_ptr<PlainList>>(&value_));
}

const PlainMembers& PlainValue::members() const {
  return held(std::get_if<std::shared_ptr<PlainMembers>>(&value_));
}

const PlainValue& PlainValue::operator[](std::string_view member) const {
  static const PlainValue kMissing;
  for (const auto& [name, value] : members()) {
    if (name == member) return value;
  }
  return kMissing;
}

std::shared_ptr<PlainList> PlainValue::sharedList() const {
  const auto* value = std::get_if<std::shared_ptr<PlainList>>(&value_);
  return value == nullptr ? nullptr : *value;
}

std::shared_ptr<PlainMembers> PlainValue::sharedMembers() const {
  const auto* value = std::get_if<std::shared_ptr<PlainMembers>>(&value_);
  return value == nullptr ? nullptr : *value;
}

namespace {

PlainValue readPlain(JsonReader& json, std::uint64_t last, std::size_t& left) {
  if (json.position() > last) json.refuse("a value of at most 64 MiB");
  if (left-- == 0) json.refuse("at most 4 million values in one");
  switch (json.kind()) {
    case JsonReader::Kind::Object: {
      auto members = std::make_shared<PlainMembers>();
      json.object([&](std::string_view key) {
        std::string name(key);
        members->emplace_back(std::move(name), readPlain(json, last, left));
      });
      return PlainValue(std::move(members));
    }
    case JsonReader::Kind::List: {
      auto list = std::make_shared<PlainList>();
      json.list([&] { list->push_back(readPlain(json, last, left)); });
      return PlainValue(std::move(list));
    }
    case JsonReader::Kind::Text:
      return PlainValue(std::string(json.text()));
    case JsonReader::Kind::Number: {
      const std::string text(json.number());
      std::int64_t whole = 0;
      const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), whole);
      const bool isWhole = problem == std::errc() && stop == text.data() + text.size();
      return isWhole ? PlainValue(whole) : PlainValue(realNumber(text));
    }
    case JsonReader::Kind::True:
    case JsonReader::Kind::False:
      return PlainValue(json.isTrue());
    case JsonReader::Kind::Null:
      json.skip();
      return {};
  }
  return {};
}

}  // namespace

PlainValue readPlain(JsonReader& json) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
  std::size_t left = std::size_t{4} << 20;
  return readPlain(json, json.position() + kMostBytes, left);
}

}  // namespace shardlens
