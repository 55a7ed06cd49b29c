#pragma once

#include "core/imports/input/byte_source.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Reads JSON as it streams by, value after value, in a window of a fixed size: nothing is kept of
// what has been read. Whoever reads an object or a list is called for each member, and reads its
// value or skips it. What is skipped is held to quotes and brackets alone. Throws BadDump.
class JsonReader {
 public:
  explicit JsonReader(ByteSource& source);

  enum class Kind { Object, List, Text, Number, True, False, Null };
  Kind kind();  // of the value that comes next

  // member(std::string_view key): the key is good until the value is read.
  template <class Member>
  void object(Member member) {
    findMember([&](std::string_view key) {
      member(key);
      return false;
    });
  }
  // As object(), until member() says that it is the one: then it ends there, and nothing more can
  // be read.
  template <class Member>
  bool findMember(Member member) {
    enter('{', "an object");
    for (bool isFirst = true; hasMore('}', isFirst); isFirst = false) {
      if (member(key())) return true;
    }
    return false;
  }
  // element() reads one.
  template <class Element>
  void list(Element element) {
    enter('[', "a list");
    for (bool isFirst = true; hasMore(']', isFirst); isFirst = false) element();
  }

  std::string_view text();    // good until the next call
  std::string_view number();  // as it is written; good until the next call
  std::int64_t integer();     // cut towards 0 where it has a fraction, and to what fits
  bool isTrue();
  void skip();
  // Whatever comes: a text as it is, of any other value the words that JSON has for it.
  std::string asText();

  void end();  // nothing but blanks may follow
  std::uint64_t position() const {
    return before_ + static_cast<std::uint64_t>(at_ - window_.data());
  }
  std::string where() const { return "byte " + std::to_string(position()); }
  [[noreturn]] void refuse(const std::string& expected);

 private:
  void enter(char opening, const char* expected);
  bool hasMore(char closing, bool isFirst);
  std::string_view key();  // with the colon behind it, up to the value
  char peek();             // behind blanks; 0 at the end
  void word(std::string_view text);
  bool refill();  // more bytes behind end_, keeping those from kept_ on; false at the end
  void escaped();
  std::uint32_t hex();
  void skipNested();
  void toEndOfText();

  ByteSource& source_;
  std::vector<char> window_;
  char* at_ = nullptr;
  char* end_ = nullptr;       // a zero stands there
  char* kept_ = nullptr;      // the beginning of a token, or nothing
  std::uint64_t before_ = 0;  // bytes of the file before the window
  std::string unescaped_;
  std::string key_;            // where it is not in the window
  std::vector<char> closing_;  // of what is open
};

}  // namespace shardlens
