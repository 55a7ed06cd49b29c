#include "core/base/pickle.h"

#include "core/base/little_endian.h"

#include <fmt/core.h>

#include <bit>
#include <unordered_map>
#include <utility>

namespace shardlens {

namespace {

using Kind = PickleNode::Kind;

constexpr std::size_t kLongestName = 256;

bool isDictClass(std::string_view name) {
  return name == "collections.OrderedDict" || name == "collections.defaultdict" ||
         name == "builtins.dict";
}

// Returns what an instruction does that in Python would import a name or make an object; null for
// other codes.
const char* actionOf(unsigned char code) {
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

}  // namespace

// Interprets the instructions of a pickle. Builds the nodes of a Pickle.
class PickleMachine {
 public:
  explicit PickleMachine(Pickle& pickle)
      : pickle_(pickle), bytes_(pickle.bytes_), most_(pickle.rules_.mostValues) {}

  const PickleNode* run() {
    for (;;) {
      const auto code = static_cast<unsigned char>(take(1)[0]);
      if (code == '.') return pop();
      if (++steps_ > mostParts()) refuse("more instructions", atMost(mostParts()));
      if (runPlain(code) || (pickle_.rules_.allowed && runObject(code))) continue;
      const char* action = actionOf(code);
      refuse(
          "the instruction " +
              (action == nullptr ? fmt::format("0x{:02x}", code) : std::string(action)),
          pickle_.rules_.allowed ? "an instruction of protocols 2 to 5" : "those of plain values");
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& got, const std::string& expected) const {
    throw BadPickle(fmt::format("{}{}byte {}: got {}, expected {}", pickle_.where_,
                                pickle_.where_.empty() ? "" : ": ", at_, got, expected));
  }
  std::size_t mostParts() const { return 4 * most_; }  // of all nodes
  static std::string atMost(std::size_t count) {
    return fmt::format("at most {} million", count >> 20U);
  }

  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size() - at_) refuse("the end of the pickle", fmt::format("{} bytes", size));
    const auto taken = bytes_.substr(at_, size);
    at_ += size;
    return taken;
  }
  std::uint64_t number(int size) { return littleEndian(take(static_cast<std::uint64_t>(size))); }
  // Reads a signed number whose size in bytes precedes it.
  std::int64_t sizedNumber(int sizeBytes) {
    const std::uint64_t size = number(sizeBytes);
    if (size > 8) refuse(fmt::format("a number of {} bytes", size), "at most 8");
    if (size == 0) return 0;
    const auto unused = static_cast<int>(64 - 8 * size);
    return static_cast<std::int64_t>(number(static_cast<int>(size)) << unused) >> unused;
  }
  std::string_view line() {
    const auto end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) refuse("no line end", "a name and a line end");
    const auto text = take(end - at_);
    take(1);
    return text;
  }

  PickleNode* add(PickleNode node) {
    if (pickle_.nodes_.size() >= most_) refuse("more values", atMost(most_));
    addParts(node.parts.size());
    return &pickle_.nodes_.emplace_back(std::move(node));
  }
  void addParts(std::size_t count) {
    parts_ += count;
    if (parts_ > mostParts()) refuse("more items of values", atMost(mostParts()));
  }
  void push(PickleNode node) { pushAgain(add(std::move(node))); }
  void pushAgain(PickleNode* node) {
    if (stack_.size() >= most_) refuse("a longer stack", atMost(most_) + " values");
    stack_.push_back(node);
  }
  void memoize(std::uint64_t id) {
    if (memo_.size() >= most_) refuse("more references", atMost(most_));
    memo_[id] = top();
  }
  void pushInt(std::int64_t value) { push({.kind = Kind::Int, .number = value}); }
  void pushText(int sizeBytes) { push({.kind = Kind::Text, .text = take(number(sizeBytes))}); }

  // Returns the number of values below the newest mark. Values below it must not be popped.
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  PickleNode* pop() {
    PickleNode* const value = top();
    stack_.pop_back();
    return value;
  }
  PickleNode* top() {
    if (stack_.size() <= floor()) refuse("an instruction without its value", "a value before it");
    return stack_.back();
  }
  // Removes the newest mark and the values above it, which it returns.
  std::vector<const PickleNode*> popToMark() {
    if (marks_.empty()) refuse("an instruction without its mark", "a mark before it");
    std::vector<const PickleNode*> values(
        stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return values;
  }
  void pushList(std::size_t size) {
    std::vector<const PickleNode*> parts(size);
    for (std::size_t i = size; i > 0; --i) parts[i - 1] = pop();
    push({.kind = Kind::List, .parts = std::move(parts)});
  }
  void extend(Kind kind, const std::vector<const PickleNode*>& values) {
    PickleNode* const node = top();
    if (node->kind != kind || (kind == Kind::Dict && values.size() % 2 != 0)) {
      refuse("items for " + node->description(), kind == Kind::Dict ? "a dictionary" : "a list");
    }
    addParts(values.size());
    node->parts.insert(node->parts.end(), values.begin(), values.end());
  }

  void pushGlobal(std::string_view module, std::string_view name) {
    if (module.size() + name.size() >= kLongestName) {
      refuse("a longer name", fmt::format("a name of at most {} bytes", kLongestName));
    }
    std::string full = fmt::format("{}.{}", module, name);
    if (!pickle_.rules_.allowed(full)) {
      refuse(fmt::format("the name {}, which Python would load or call", full),
             "names that a checkpoint needs");
    }
    push({.kind = Kind::Global, .text = *pickle_.names_.insert(std::move(full)).first});
  }
  // Pushes a call of `callee` as data: an empty dictionary for its classes, else an Object.
  void pushObject(const PickleNode* callee, const PickleNode* arguments) {
    if (callee->kind == Kind::Global && isDictClass(callee->text))
      return push({.kind = Kind::Dict});
    push({.kind = Kind::Object, .parts = {callee, arguments}});
  }

  bool runPlain(unsigned char code);
  bool runObject(unsigned char code);

  Pickle& pickle_;
  std::string_view bytes_;
  std::size_t most_;  // values
  std::size_t at_ = 0;
  std::size_t steps_ = 0;
  std::vector<PickleNode*> stack_;
  std::size_t parts_ = 0;           // of all nodes
  std::vector<std::size_t> marks_;  // sizes of the stack at each mark
  std::unordered_map<std::uint64_t, PickleNode*> memo_;
};

// Runs an instruction of plain values. Returns false if `code` is none.
bool PickleMachine::runPlain(unsigned char code) {
  switch (code) {
    case 0x80:  // PROTO
      if (const auto version = number(1); version < 2 || version > 5) {
        refuse(fmt::format("protocol {}", version), "2 to 5");
      }
      break;
    case 0x95:  // FRAME
      number(8);
      break;
    case 'N':
      push({});
      break;
    case 0x88:
    case 0x89:
      push({.kind = Kind::Bool, .number = code == 0x88 ? 1 : 0});
      break;
    case 'K':
      pushInt(static_cast<std::int64_t>(number(1)));
      break;
    case 'M':
      pushInt(static_cast<std::int64_t>(number(2)));
      break;
    case 'J':
      pushInt(static_cast<std::int32_t>(number(4)));
      break;
    case 0x8a:
      pushInt(sizedNumber(1));
      break;
    case 0x8b:
      pushInt(sizedNumber(4));
      break;
    case 'G': {  // big-endian
      std::uint64_t bits = 0;
      for (const char byte : take(8)) bits = bits << 8U | static_cast<unsigned char>(byte);
      push({.kind = Kind::Float, .real = std::bit_cast<double>(bits)});
      break;
    }
    case 0x8c:  // texts and bytes
    case 'C':
    case 'U':
      pushText(1);
      break;
    case 'X':
    case 'B':
    case 'T':
      pushText(4);
      break;
    case 0x8d:
    case 0x8e:
    case 0x96:
      pushText(8);
      break;
    case '(':
      if (marks_.size() >= most_) refuse("more marks", atMost(most_));
      marks_.push_back(stack_.size());
      break;
    case ']':
    case ')':
    case 0x8f:  // EMPTY_SET
      push({.kind = Kind::List});
      break;
    case '}':
      push({.kind = Kind::Dict});
      break;
    case 0x85:
    case 0x86:
    case 0x87:
      pushList(code - 0x84U);
      break;
    case 't':
    case 'l':
    case 0x91:  // FROZENSET
      push({.kind = Kind::List, .parts = popToMark()});
      break;
    case 'a':
      extend(Kind::List, {pop()});
      break;
    case 'e':
    case 0x90: {  // ADDITEMS
      const auto values = popToMark();
      extend(Kind::List, values);
      break;
    }
    case 's': {
      const PickleNode* const value = pop();
      const PickleNode* const key = pop();
      extend(Kind::Dict, {key, value});
      break;
    }
    case 'u': {
      const auto values = popToMark();
      extend(Kind::Dict, values);
      break;
    }
    case 'q':
      memoize(number(1));
      break;
    case 'r':
      memoize(number(4));
      break;
    case 0x94:
      memoize(memo_.size());
      break;
    case 'h':
    case 'j': {
      const auto found = memo_.find(number(code == 'h' ? 1 : 4));
      if (found == memo_.end())
        refuse("a reference to no earlier value", "one to an earlier value");
      pushAgain(found->second);
      break;
    }
    case '0':
      pop();
      break;
    case '1':
      popToMark();
      break;
    case '2':
      pushAgain(top());
      break;
    default:
      return false;
  }
  return true;
}

// Runs an instruction that in Python would import a name or make an object. Returns false if `code`
// is none.
bool PickleMachine::runObject(unsigned char code) {
  switch (code) {
    case 'c': {
      const auto module = line();
      pushGlobal(module, line());
      return true;
    }
    case 0x93: {  // STACK_GLOBAL
      const PickleNode* const name = pop();
      const PickleNode* const module = pop();
      if (name->kind != Kind::Text || module->kind != Kind::Text) {
        refuse("a name that is no text", "texts");
      }
      pushGlobal(module->text, name->text);
      return true;
    }
    case 'R':     // REDUCE
    case 0x81: {  // NEWOBJ
      const PickleNode* const arguments = pop();
      pushObject(pop(), arguments);
      return true;
    }
    case 0x92: {  // NEWOBJ_EX
      pop();
      const PickleNode* const arguments = pop();
      pushObject(pop(), arguments);
      return true;
    }
    case 'b': {  // BUILD
      const PickleNode* const state = pop();
      PickleNode* const object = top();
      if (object->kind == Kind::Object) {
        object->parts.resize(2);
        object->parts.push_back(state);
      }
      return true;
    }
    case 'Q': {  // BINPERSID
      const PickleNode* const id = pop();
      push({.kind = Kind::Stored, .parts = {id}});
      return true;
    }
    default:
      return false;
  }
}

Pickle::Pickle(std::string bytes, std::string where, PickleRules rules)
    : bytes_(std::move(bytes)), where_(std::move(where)), rules_(std::move(rules)) {
  root_ = PickleMachine(*this).run();
}

}  // namespace shardlens
