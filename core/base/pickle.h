#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// A value of a pickle, as plain data. An object is the name of its class, the arguments of its
// construction and its state; nothing is constructed or called.
struct PickleNode {
  enum class Kind : std::uint8_t {
    None,
    Bool,
    Int,
    Float,
    Text,
    List,
    Dict,
    Global,
    Object,
    Stored
  };

  Kind kind = Kind::None;
  std::int64_t number = 0;     // Bool and Int
  double real = 0;             // Float
  std::string_view text = {};  // Text (also bytes); Global: "torch.float32"
  // List (also tuples and sets): the elements. Dict: keys and values in turn. Object: class,
  // arguments, and, if it has one, state. Stored: the id of an object outside the pickle.
  std::vector<const PickleNode*> parts = {};

  bool isNone() const { return kind == Kind::None; }
  // Returns the class of an Object as "torch.Size", or "" for other values.
  std::string_view className() const;
  // Returns the value of a text key in a Dict, or in the state of an Object; null if missing.
  const PickleNode* member(std::string_view name) const;
  // Returns what the value is, for messages: "the number 3", "an object of torch.device".
  std::string description() const;
};

// Thrown for a pickle that is malformed or not allowed. The message states where, got and expected.
class BadPickle : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a pickle may contain.
struct PickleRules {
  // Returns true if a pickle may name this class or function. Naming never loads or calls it. Null:
  // only plain values are allowed, and no instruction that names or makes an object.
  std::function<bool(std::string_view)> allowed = {};
  std::size_t mostValues = std::size_t{32} << 20;
};

// The content of a pickle, protocols 2 to 5. A value may contain itself, so a reader must bound its
// depth. Integers have up to 64 bits.
class Pickle {
 public:
  // Interprets `bytes`. `where` begins messages; it may be empty. Throws BadPickle for malformed
  // input, unknown instructions, and names that are not allowed.
  Pickle(std::string bytes, std::string where, PickleRules rules);
  Pickle(const Pickle&) = delete;
  Pickle& operator=(const Pickle&) = delete;

  const PickleNode& root() const { return *root_; }  // lives as long as this object

 private:
  friend class PickleMachine;

  std::string bytes_;
  std::string where_;
  PickleRules rules_;
  std::deque<PickleNode> nodes_;
  std::set<std::string, std::less<>> names_;
  const PickleNode* root_ = nullptr;
};

}  // namespace shardlens
