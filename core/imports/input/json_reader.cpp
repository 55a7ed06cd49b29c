#include "core/imports/input/json_reader.h"

#include "core/imports/input/bad_dump.h"
#include "core/imports/input/byte_scan.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

namespace shardlens {

namespace {

constexpr std::size_t kWindow = std::size_t{1} << 20;  // also the limit of a text
constexpr std::size_t kSlack = 64;  // lets vector loads read 64 bytes at any position
constexpr std::size_t kMostNested = 100;

bool isBlank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

}  // namespace

JsonReader::JsonReader(ByteSource& source) : source_(source), window_(kWindow + kSlack) {
  at_ = end_ = window_.data();
}

void JsonReader::refuse(const std::string& expected) {
  std::string got = "the end";
  if (at_ != end_) {
    const auto shown = std::min<std::size_t>(12, static_cast<std::size_t>(end_ - at_));
    got.assign(at_, shown);
    got = "\"" + got.substr(0, got.find_first_of(std::string("\n\r\0", 3))) + "\"";
  }
  refuseDump(where(), got, expected);
}

bool JsonReader::refill() {
  char* const begin = window_.data();
  char* const from = kept_ != nullptr ? kept_ : at_;
  if (from == begin && end_ == begin + kWindow) refuse("a text of at most 1 MiB");
  const auto moved = from - begin;
  std::memmove(begin, from, static_cast<std::size_t>(end_ - from));
  before_ += static_cast<std::uint64_t>(moved);
  at_ -= moved;
  end_ -= moved;
  if (kept_ != nullptr) kept_ = begin;
  const std::size_t got = source_.read({end_, static_cast<std::size_t>(begin + kWindow - end_)});
  end_ += got;
  std::fill_n(end_, kSlack, '\0');
  return got > 0;
}

char JsonReader::peek() {
  for (;;) {
    if (isBlank(*at_)) at_ = pastBlanks(at_);
    if (at_ != end_) return *at_;
    if (!refill()) return 0;
  }
}

JsonReader::Kind JsonReader::kind() {
  const char c = peek();
  if (c == '{') return Kind::Object;
  if (c == '[') return Kind::List;
  if (c == '"') return Kind::Text;
  if (c == 't') return Kind::True;
  if (c == 'f') return Kind::False;
  if (c == 'n') return Kind::Null;
  if (c == '-' || (c >= '0' && c <= '9')) return Kind::Number;
  refuse("a JSON value");
}

void JsonReader::enter(char opening, const char* expected) {
  if (peek() != opening) refuse(expected);
  if (closing_.size() == kMostNested) refuse("at most 100 levels of nesting");
  closing_.push_back(static_cast<char>(opening + 2));
  ++at_;
}

bool JsonReader::hasMore(char closing, bool isFirst) {
  const char c = peek();
  if (c == closing) {
    ++at_;
    closing_.pop_back();
    return false;
  }
  if (isFirst) return true;
  if (c != ',') refuse(closing == '}' ? "\",\" or \"}\"" : "\",\" or \"]\"");
  ++at_;
  return true;
}

// Copies the key if reaching the value may refill the window.
std::string_view JsonReader::key() {
  const std::string_view key = text();
  const bool isThere = at_[0] == ':' && (at_[1] > ' ' || (at_[1] == ' ' && at_[2] > ' '));
  if (isThere) {
    ++at_;
    return key;
  }
  key_ = key;
  if (peek() != ':') refuse("\":\"");
  ++at_;
  peek();
  return key_;
}

// The result refers to the window, or to unescaped_ if the text has escapes.
std::string_view JsonReader::text() {
  if (peek() != '"') refuse("a text");
  ++at_;
  kept_ = at_;
  bool isPlain = true;
  for (;;) {
    char* const stop = endOfText(at_);
    if (!isPlain) unescaped_.append(at_, stop);
    at_ = stop;
    if (*at_ == '"') break;
    if (*at_ == '\\') {
      if (isPlain) unescaped_.assign(kept_, at_);
      isPlain = false;
      escaped();
    } else if (at_ != end_) {
      refuse("a text without a zero byte");
    } else if (!refill()) {
      refuse("the end of a text");
    }
  }
  const std::string_view text =
      isPlain ? std::string_view(kept_, static_cast<std::size_t>(at_ - kept_)) : unescaped_;
  kept_ = nullptr;
  ++at_;
  return text;
}

void JsonReader::escaped() {
  static constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
  if (end_ - at_ < 2) refill();
  const auto found = kEscapes.find(at_[1]);
  if (at_[1] == 'u') {
    std::uint32_t code = hex();
    if (code >= 0xD800 && code < 0xDC00) {
      const std::uint32_t low =
          end_ - at_ >= 2 || refill() ? (at_[0] == '\\' && at_[1] == 'u' ? hex() : 0) : 0;
      const bool isPair = low >= 0xDC00 && low < 0xE000;
      code = isPair ? 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00) : 0xFFFD;
    } else if (code >= 0xDC00 && code < 0xE000) {
      code = 0xFFFD;
    }
    const auto add = [&](std::uint32_t byte) { unescaped_ += static_cast<char>(byte); };
    if (code < 0x80) {
      add(code);
    } else if (code < 0x800) {
      add(0xC0 | code >> 6U), add(0x80 | (code & 0x3FU));
    } else if (code < 0x10000) {
      add(0xE0 | code >> 12U), add(0x80 | (code >> 6U & 0x3FU)), add(0x80 | (code & 0x3FU));
    } else {
      add(0xF0 | code >> 18U), add(0x80 | (code >> 12U & 0x3FU));
      add(0x80 | (code >> 6U & 0x3FU)), add(0x80 | (code & 0x3FU));
    }
  } else if (at_[1] != 0 && found != std::string_view::npos) {
    unescaped_ += kMeant[found];
    at_ += 2;
  } else {
    refuse("an escape of JSON");
  }
}

std::uint32_t JsonReader::hex() {
  if (end_ - at_ < 6) refill();
  std::uint32_t code = 0;
  const auto [stop, problem] = std::from_chars(at_ + 2, at_ + 6, code, 16);
  if (problem != std::errc() || stop != at_ + 6) refuse("four hexadecimal digits");
  at_ += 6;
  return code;
}

std::string_view JsonReader::number() {
  const char first = peek();
  if (first != '-' && (first < '0' || first > '9')) refuse("a number");
  kept_ = at_;
  for (;;) {
    while ((*at_ >= '0' && *at_ <= '9') || *at_ == '.' || *at_ == '-' || *at_ == '+' ||
           *at_ == 'e' || *at_ == 'E') {
      ++at_;
    }
    if (at_ != end_ || !refill()) break;
  }
  const std::string_view text(kept_, static_cast<std::size_t>(at_ - kept_));
  kept_ = nullptr;
  return text;
}

std::int64_t JsonReader::integer() {
  const std::string_view text = number();
  std::int64_t value = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem == std::errc::result_out_of_range) {
    return text.front() == '-' ? std::numeric_limits<std::int64_t>::min()
                               : std::numeric_limits<std::int64_t>::max();
  }
  return value;
}

void JsonReader::word(std::string_view text) {
  peek();
  while (end_ - at_ < static_cast<std::ptrdiff_t>(text.size())) {
    if (!refill()) break;
  }
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  if (!rest.starts_with(text)) refuse("a JSON value");
  at_ += text.size();
}

bool JsonReader::isTrue() {
  const bool value = kind() == Kind::True;
  skip();
  return value;
}

void JsonReader::skip() {
  switch (kind()) {
    case Kind::True:
      return word("true");
    case Kind::False:
      return word("false");
    case Kind::Null:
      return word("null");
    case Kind::Number:
      number();
      return;
    case Kind::Text:
      ++at_;
      return toEndOfText();
    case Kind::Object:
    case Kind::List:
      break;
  }
  skipNested();
}

// Scans 64 bytes at a time. A bracket counts if the number of quotes before it is even. After an
// escape, which is rare, the rest of its text is scanned by toEndOfText().
void JsonReader::skipNested() {
  const std::size_t outside = closing_.size();
  bool isInText = false;
  for (;;) {
    const auto size = static_cast<std::size_t>(end_ - at_);
    if (size == 0) {
      if (refill()) continue;
      refuse(isInText ? "the end of a text" : std::string("\"") + closing_.back() + "\"");
    }
    const std::uint64_t all = size < 64 ? (std::uint64_t{1} << size) - 1 : ~std::uint64_t{0};
    const SixtyFour found(at_);
    const std::uint64_t escapes = found.escapes & all;
    // Mask of the bytes before the first escape.
    const std::uint64_t before = escapes == 0 ? all : (escapes & -escapes) - 1;
    const std::uint64_t inText =
        oddUpTo(found.quotes & before) ^ (isInText ? ~std::uint64_t{0} : 0);
    for (auto brackets = found.brackets & before & ~inText; brackets != 0;
         brackets &= brackets - 1) {
      char* const bracket = at_ + std::countr_zero(brackets);
      if (*bracket == '{' || *bracket == '[') {
        if (closing_.size() == kMostNested) {
          at_ = bracket;
          refuse("at most 100 levels of nesting");
        }
        closing_.push_back(static_cast<char>(*bracket + 2));
        continue;
      }
      if (closing_.back() != *bracket) {
        at_ = bracket;
        refuse(std::string("\"") + closing_.back() + "\"");
      }
      closing_.pop_back();
      if (closing_.size() > outside) continue;
      at_ = bracket + 1;
      return;
    }
    const int quotes = std::popcount(found.quotes & before);
    isInText ^= quotes % 2 != 0;
    at_ += std::popcount(before);
    if (escapes == 0) continue;
    if (!isInText) refuse("a text around an escape");
    toEndOfText();
    isInText = false;
  }
}

// No length limit, because the text is not kept.
void JsonReader::toEndOfText() {
  for (;;) {
    at_ = endOfText(at_);
    if (*at_ == '"') break;
    if (*at_ == '\\') {
      if (end_ - at_ < 2 && !refill()) refuse("the end of a text");
      at_ += 2;
    } else if (at_ != end_) {
      ++at_;
    } else if (!refill()) {
      refuse("the end of a text");
    }
  }
  ++at_;
}

std::string JsonReader::asText() {
  switch (kind()) {
    case Kind::Text:
      return std::string(text());
    case Kind::Number:
      return std::string(number());
    case Kind::True:
      skip();
      return "true";
    case Kind::False:
      skip();
      return "false";
    case Kind::Null:
      skip();
      return "null";
    case Kind::Object:
      skip();
      return "{...}";
    case Kind::List:
      break;
  }
  std::string all;
  list([&] {
    all += (all.empty() ? "" : ", ") + asText();
    if (all.size() > kWindow) refuse("a text of at most 1 MiB");
  });
  return "[" + all + "]";
}

void JsonReader::end() {
  if (peek() != 0 || at_ != end_) refuse("the end");
}

}  // namespace shardlens
