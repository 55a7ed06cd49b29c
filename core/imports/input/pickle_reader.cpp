#include "core/imports/input/pickle_reader.h"

#include "core/imports/input/bad_dump.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace shardlens {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;
constexpr std::size_t kMostValues = std::size_t{8} << 20;
constexpr int kDeepestValue = 100;

// Returns the name of an instruction that creates objects or calls code; null for unknown codes.
const char* nameOfRefused(unsigned char code) {
  switch (code) {
    case 'c':
      return "GLOBAL, which names a class or function";
    case 0x93:
      return "STACK_GLOBAL, which names a class or function";
    case 'R':
      return "REDUCE, which calls a function";
    case 'b':
      return "BUILD, which sets an object's state";
    case 'i':
      return "INST, which makes an object";
    case 'o':
      return "OBJ, which makes an object";
    case 0x81:
      return "NEWOBJ, which makes an object";
    case 0x92:
      return "NEWOBJ_EX, which makes an object";
    case 'P':
      return "PERSID, which refers to an object stored elsewhere";
    case 'Q':
      return "BINPERSID, which refers to an object stored elsewhere";
    case 0x82:
    case 0x83:
    case 0x84:
      return "EXT, which names a registered class";
    default:
      return nullptr;
  }
}

// A stack entry: a value or a mark.
struct Item {
  PlainValue value = {};
  bool isMark = false;
};

// Interprets a pickle. A list or dictionary is sealed once it is part of another value, and must
// not change after that; this excludes cycles.
class Unpickler {
 public:
  explicit Unpickler(ByteSource& source) : source_(source) {}

  PlainValue read() {
    for (;;) {
      const auto code = static_cast<unsigned char>(take(1)[0]);
      if (code == '.') return pop();
      if (++steps_ > kMostValues) refuse("more instructions", "at most 8 million");
      run(code);
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& got, const std::string& expected) const {
    refuseDump("byte " + std::to_string(done_), got, expected);
  }

  // Returns the next `size` bytes, valid until the next call.
  std::string_view take(std::uint64_t size) {
    if (size > kMostBytes || done_ + size > kMostBytes)
      refuse("a larger one", "a pickle of at most 256 MiB");
    taken_.clear();
    while (taken_.size() < size) {
      if (begin_ == filled_) {
        begin_ = 0;
        filled_ = source_.read(buffer_);
        if (filled_ == 0) refuse("the end", "the rest of a pickle");
      }
      const auto some = std::min<std::uint64_t>(size - taken_.size(), filled_ - begin_);
      taken_.append(buffer_.data() + begin_, some);
      begin_ += some;
    }
    done_ += size;
    return taken_;
  }
  // Reads a little-endian unsigned number.
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    const auto raw = take(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(raw[i])} << (8 * i);
    }
    return value;
  }
  // Reads LONG1: a length byte and a signed little-endian number.
  std::int64_t longNumber() {
    const std::uint64_t bytes = number(1);
    if (bytes == 0) return 0;
    if (bytes > 8) refuse("a number of " + std::to_string(bytes) + " bytes", "at most 8");
    const auto unused = static_cast<int>(64 - 8 * bytes);
    return static_cast<std::int64_t>(number(bytes) << static_cast<unsigned>(unused)) >> unused;
  }
  template <class T>
  void push(T value) {
    stack_.push_back({.value = PlainValue(std::move(value))});
  }
  // Pushes a text whose length is stored in `sizeBytes` bytes.
  void text(std::size_t sizeBytes) { push(std::string(take(number(sizeBytes)))); }

  PlainValue pop() {
    if (stack_.empty() || stack_.back().isMark)
      refuse("a pickle that pops an empty stack", "a value");
    PlainValue value = std::move(stack_.back().value);
    stack_.pop_back();
    return value;
  }
  PlainValue& top() {
    if (stack_.empty() || stack_.back().isMark)
      refuse("a pickle that reads an empty stack", "a value");
    return stack_.back().value;
  }
  // Removes the newest mark and returns the values above it.
  PlainList popToMark() {
    const auto mark =
        std::find_if(stack_.rbegin(), stack_.rend(), [](const Item& item) { return item.isMark; });
    if (mark == stack_.rend()) refuse("a pickle without a mark", "a mark");
    PlainList values;
    for (auto item = mark.base(); item != stack_.end(); ++item)
      values.push_back(std::move(item->value));
    stack_.erase(std::prev(mark.base()), stack_.end());
    return values;
  }

  // Returns the address of a list or dictionary; null for other values.
  const void* container(const PlainValue& value) const {
    if (const auto list = value.sharedList()) return list.get();
    return value.sharedMembers().get();
  }
  // Records that `part` becomes an element of `outer`, and updates the depth of `outer`.
  void seal(const void* outer, const PlainValue& part) {
    const void* const inner = container(part);
    if (inner == nullptr) return;
    sealed_.insert(inner);
    if (inner == outer || sealed_.contains(outer))
      refuse("a value that is part of another and changes", "a plain value");
    const int depth = depths_[inner] + 1;
    if (depth > kDeepestValue) refuse("a value more than 100 deep", "a plain value");
    depths_[outer] = std::max(depths_[outer], depth);
  }
  void append(PlainList values) {
    const auto list = top().sharedList();
    if (!list || sealed_.contains(list.get())) refuse("elements of no list", "a list");
    for (auto& value : values) {
      seal(list.get(), value);
      list->push_back(std::move(value));
    }
  }
  void setItems(PlainList values) {
    const auto members = top().sharedMembers();
    if (!members || sealed_.contains(members.get()) || values.size() % 2 != 0)
      refuse("members of no dictionary", "a dictionary");
    for (std::size_t i = 0; i < values.size(); i += 2) {
      if (container(values[i]) != nullptr) refuse("a list as a key", "a text or a number");
      seal(members.get(), values[i + 1]);
      std::string key = values[i].asKey();
      keyBytes_ += key.size();
      if (keyBytes_ > kMostKeyBytes) refuse("keys of more than 64 MiB", "fewer");
      members->emplace_back(std::move(key), std::move(values[i + 1]));
    }
  }
  void tuple(PlainList values) {
    auto list = std::make_shared<PlainList>();
    for (auto& value : values) {
      seal(list.get(), value);
      list->push_back(std::move(value));
    }
    push(std::move(list));
  }
  void tuple(std::size_t size) {
    PlainList values(size);
    for (std::size_t i = size; i > 0; --i) values[i - 1] = pop();
    tuple(std::move(values));
  }

  void memoize(std::uint64_t id) { memo_[id] = top(); }
  void pushMemo(std::uint64_t id) {
    const auto found = memo_.find(id);
    if (found == memo_.end()) refuse("a value that the pickle does not have", "a memoized value");
    stack_.push_back({.value = found->second});
  }

  void run(unsigned char code);

  ByteSource& source_;
  std::array<char, 16384> buffer_{};
  std::size_t begin_ = 0, filled_ = 0;
  // Bytes consumed.
  std::uint64_t done_ = 0;
  std::size_t steps_ = 0;
  std::string taken_;
  std::vector<Item> stack_;
  // Each member copies its key, so one memoised text could be multiplied without this limit.
  static constexpr std::uint64_t kMostKeyBytes = std::uint64_t{64} << 20;
  std::uint64_t keyBytes_ = 0;
  std::unordered_map<std::uint64_t, PlainValue> memo_;
  std::unordered_set<const void*> sealed_;
  std::unordered_map<const void*, int> depths_;
};

void Unpickler::run(unsigned char code) {
  switch (code) {
    case 0x80:  // PROTO
      if (const auto version = number(1); version < 2 || version > 5) {
        refuse("a pickle of protocol " + std::to_string(version), "2 to 5");
      }
      return;
    case 0x95:  // FRAME: the frame's length is not needed
      number(8);
      return;
    case 'N':
      return stack_.push_back({});
    case 0x88:
      return push(true);
    case 0x89:
      return push(false);
    case 'K':
      return push(static_cast<std::int64_t>(number(1)));
    case 'M':
      return push(static_cast<std::int64_t>(number(2)));
    case 'J':
      return push(std::int64_t{static_cast<std::int32_t>(number(4))});
    case 0x8a:
      return push(longNumber());
    case 'G': {  // big-endian
      std::uint64_t bits = 0;
      for (const char byte : take(8)) bits = bits << 8U | static_cast<unsigned char>(byte);
      return push(std::bit_cast<double>(bits));
    }
    case 0x8c:  // texts and bytes
    case 'C':
    case 'U':
      return text(1);
    case 'X':
    case 'B':
    case 'T':
      return text(4);
    case 0x8d:
    case 0x8e:
      return text(8);
    case '(':
      return stack_.push_back({.value = {}, .isMark = true});
    case ']':
      return push(std::make_shared<PlainList>());
    case '}':
      return push(std::make_shared<PlainMembers>());
    case ')':
      return tuple(std::size_t{0});
    case 0x85:
      return tuple(std::size_t{1});
    case 0x86:
      return tuple(std::size_t{2});
    case 0x87:
      return tuple(std::size_t{3});
    case 't':
    case 'l':
      return tuple(popToMark());
    case 'a': {
      PlainList one{pop()};
      return append(std::move(one));
    }
    case 'e':
      return append(popToMark());
    case 's': {
      PlainValue value = pop();
      PlainList one{pop(), std::move(value)};
      return setItems(std::move(one));
    }
    case 'u':
      return setItems(popToMark());
    case 'q':
      return memoize(number(1));
    case 'r':
      return memoize(number(4));
    case 0x94:
      return memoize(memo_.size());
    case 'h':
      return pushMemo(number(1));
    case 'j':
      return pushMemo(number(4));
    case '0':
      pop();
      return;
    default:
      break;
  }
  const char* name = nameOfRefused(code);
  refuse(name != nullptr ? "the instruction " + std::string(name)
                         : "the instruction " + std::to_string(code),
         "those of plain values");
}

}  // namespace

PlainValue readPickle(ByteSource& source) { return Unpickler(source).read(); }

}  // namespace shardlens
