#include "core/imports/input/pickle_reader.h"

#include "core/base/pickle.h"
#include "core/imports/input/bad_dump.h"

#include <array>
#include <string>
#include <unordered_map>
#include <utility>

namespace shardlens {
namespace {

using Kind = PickleNode::Kind;

constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;
constexpr std::size_t kMostValues = std::size_t{8} << 20;
constexpr int kDeepestValue = 100;

[[noreturn]] void refuseValue(const std::string& got, const std::string& expected) {
  refuseDump("the pickle", got, expected);
}

// Converts the values of a pickle. Values that occur several times are converted once and shared.
class Converter {
 public:
  // `depth`: the number of values around this one.
  PlainValue convert(const PickleNode& node, int depth) {
    if (depth > kDeepestValue) refuseValue("a value more than 100 deep", "a plain value");
    switch (node.kind) {
      case Kind::None:
        return {};
      case Kind::Bool:
        return PlainValue(node.number != 0);
      case Kind::Int:
        return PlainValue(node.number);
      case Kind::Float:
        return PlainValue(node.real);
      case Kind::Text:
      case Kind::List:
      case Kind::Dict:
        return shared(node, depth);
      case Kind::Global:
      case Kind::Object:
      case Kind::Stored:
        break;
    }
    refuseValue(node.description(), "a plain value");
  }

 private:
  PlainValue shared(const PickleNode& node, int depth) {
    const auto [known, isNew] = known_.try_emplace(&node);
    if (!isNew) {
      if (known->second.isMissing()) {
        refuseValue("a value that is part of itself", "a plain value");
      }
      return known->second;
    }
    PlainValue value = node.kind == Kind::Text   ? PlainValue(std::string(node.text))
                       : node.kind == Kind::List ? list(node, depth)
                                                 : members(node, depth);
    return known_[&node] = std::move(value);
  }
  PlainValue list(const PickleNode& node, int depth) {
    auto made = std::make_shared<PlainList>();
    for (const PickleNode* part : node.parts) made->push_back(convert(*part, depth + 1));
    return PlainValue(std::move(made));
  }
  PlainValue members(const PickleNode& node, int depth) {
    auto made = std::make_shared<PlainMembers>();
    for (std::size_t i = 0; i + 1 < node.parts.size(); i += 2) {
      const PickleNode& key = *node.parts[i];
      if (key.kind != Kind::Text && key.kind != Kind::Int && key.kind != Kind::Bool) {
        refuseValue(key.description() + " as a key", "a text or a number");
      }
      std::string name = convert(key, depth).asKey();
      keyBytes_ += name.size();
      if (keyBytes_ > kMostKeyBytes) refuseValue("keys of more than 64 MiB", "fewer");
      made->emplace_back(std::move(name), convert(*node.parts[i + 1], depth + 1));
    }
    return PlainValue(std::move(made));
  }

  // Each member copies its key, so one memoised text could be multiplied without this limit.
  static constexpr std::uint64_t kMostKeyBytes = std::uint64_t{64} << 20;
  std::uint64_t keyBytes_ = 0;
  // Missing while the value is converted.
  std::unordered_map<const PickleNode*, PlainValue> known_;
};

std::string bytesOf(ByteSource& source) {
  std::string bytes;
  std::array<char, 16384> buffer{};
  while (const std::size_t read = source.read(buffer)) {
    if (bytes.size() + read > kMostBytes) refuseValue("more bytes", "at most 256 MiB");
    bytes.append(buffer.data(), read);
  }
  return bytes;
}

}  // namespace

PlainValue readPickle(ByteSource& source) {
  try {
    const Pickle pickle(bytesOf(source), "", {.mostValues = kMostValues});
    return Converter().convert(pickle.root(), 0);
  } catch (const BadPickle& bad) {
    throw BadDump(bad.what());
  }
}

}  // namespace shardlens
