#pragma once

#include "core/imports/input/byte_source.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// A streaming JSON reader with a window of 1 MiB, which also limits the length of a text. Values
// that have been read are not kept. The callback of object() or list() must read or skip() exactly
// one value per call. Nesting is limited to 100 levels. Skipped values are checked for matching
// quotes and brackets only. Throws BadDump for malformed input or another kind of value than the
// called function reads.
class JsonReader {
 public:
  // `source` must outlive the reader.
  explicit JsonReader(ByteSource& source);

  enum class Kind { Object, List, Text, Number, True, False, Null };
  Kind kind();  // of the next value, which is not consumed

  // Reads an object and calls member(std::string_view key) per member. `key` is valid until the
  // value is read.
  template <class Member>
  void object(Member member) {
    findMember([&](std::string_view key) {
      member(key);
      return false;
    });
  }
  // As object(), but stops as soon as member() returns true, and returns true. The reader is then
  // inside the object: do not read further. Returns false at the end of the object.
  template <class Member>
  bool findMember(Member member) {
    enter('{', "an object");
    for (bool isFirst = true; hasMore('}', isFirst); isFirst = false) {
      if (member(key())) return true;
    }
    return false;
  }
  // Reads a list and calls element() per element.
  template <class Element>
  void list(Element element) {
    enter('[', "a list");
    for (bool isFirst = true; hasMore(']', isFirst); isFirst = false) element();
  }

  std::string_view text();    // valid until the next call
  std::string_view number();  // as written; valid until the next call
  std::int64_t integer();     // the digits before "." or "e", clamped to 64 bits
  bool isTrue();              // consumes any value; true for `true` only
  void skip();                // skips one value of any kind
  // Reads any value as text: a text unescaped, numbers and words as written, lists as "[1, 2]",
  // objects as "{...}".
  std::string asText();

  void end();  // throws unless only white space follows
  // Returns the offset of the next byte in the (decompressed) file.
  std::uint64_t position() const {
    return before_ + static_cast<std::uint64_t>(at_ - window_.data());
  }
  std::string where() const { return "byte " + std::to_string(position()); }
  // Throws BadDump with the position and the next bytes as what was got.
  [[noreturn]] void refuse(const std::string& expected);

 private:
  void enter(char opening, const char* expected);
  bool hasMore(char closing, bool isFirst);
  std::string_view key();  // consumes the colon and white space, too
  char peek();             // skips white space; 0 at the end
  void word(std::string_view text);
  // Moves the unread bytes (from kept_ or at_ on) to the window's beginning and appends more.
  // Returns false at the end of the file.
  bool refill();
  // Appends the character of the escape at at_ to unescaped_.
  void escaped();
  std::uint32_t hex();
  void skipNested();
  void toEndOfText();

  ByteSource& source_;
  std::vector<char> window_;
  char* at_ = nullptr;
  char* end_ = nullptr;       // end of the bytes in the window; zero bytes follow
  char* kept_ = nullptr;      // beginning of the current token, or null
  std::uint64_t before_ = 0;  // bytes of the file before the window
  std::string unescaped_;     // the last text, if it had escapes
  std::string key_;           // the last key, if it is not in the window
  std::vector<char> closing_;  // closing brackets of the open objects and lists
};

}  // namespace shardlens
