#include "core/query/language/query.h"

#include "core/query/language/query_fields.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace shardlens {

namespace {

bool isBlank(char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; }
bool isOfName(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  tl::expected<Query, QueryMistake> parse() {
    Query query;
    for (skipBlanks(); at_ < text_.size(); skipBlanks()) {
      auto term = this->term();
      if (!term) return tl::unexpected(term.error());
      query.push_back(std::move(*term));
    }
    return query;
  }

 private:
  void skipBlanks() {
    while (at_ < text_.size() && isBlank(text_[at_])) ++at_;
  }
  bool take(std::string_view sign) {
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  tl::unexpected<QueryMistake> mistake(std::size_t from, std::string message) const {
    return tl::unexpected(
        QueryMistake{from, std::max<std::size_t>(at_ - from, 1), std::move(message)});
  }

  tl::expected<Term, QueryMistake> term() {
    Term term;
    term.at = at_;
    term.isNot = take("-");
    if (!term.isNot) take("+");
    const std::size_t name = at_;
    while (at_ < text_.size() && isOfName(text_[at_])) ++at_;
    const auto relation = this->relation();
    if (relation && nameEnd_ != name) {
      term.field = text_.substr(name, nameEnd_ - name);
      term.relation = *relation;
    } else {
      at_ = name;
    }
    if (auto read = readValues(term); !read) return tl::unexpected(read.error());
    term.length = at_ - term.at;
    if (auto checked = checkTerm(term)) return tl::unexpected(*checked);
    return term;
  }

  std::optional<Term::Relation> relation() {
    using Relation = Term::Relation;
    static constexpr std::array<std::pair<std::string_view, Relation>, 6> kSigns = {{
        {">=", Relation::AtLeast},
        {"<=", Relation::AtMost},
        {">", Relation::More},
        {"<", Relation::Less},
        {":", Relation::Is},
        {"=", Relation::Is},
    }};
    nameEnd_ = at_;
    for (const auto& [sign, relation] : kSigns) {
      if (take(sign)) return relation;
    }
    return std::nullopt;
  }

  tl::expected<void, QueryMistake> readValues(Term& term) {
    do {
      const std::size_t from = at_;
      auto value = this->value(/*isWord=*/term.field.empty());
      if (!value) return tl::unexpected(value.error());
      if (value->empty()) return mistake(from, "expected a value");
      term.values.push_back(std::move(*value));
    } while (!term.field.empty() && take(","));
    return {};
  }

  // Reads a quoted value, or up to a blank (for a field, also a comma) outside brackets, because
  // placements contain both.
  tl::expected<std::string, QueryMistake> value(bool isWord) {
    const std::size_t from = at_;
    if (take("\"")) {
      const auto end = text_.find('"', at_);
      if (end == std::string_view::npos) {
        at_ = text_.size();
        return mistake(from, "expected a closing \"");
      }
      const std::string value(text_.substr(at_, end - at_));
      at_ = end + 1;
      return value;
    }
    int open = 0;
    for (; at_ < text_.size(); ++at_) {
      const char letter = text_[at_];
      if (letter == '(' || letter == '[') ++open;
      if (letter == ')' || letter == ']') --open;
      if (open <= 0 && (isBlank(letter) || (!isWord && letter == ','))) break;
    }
    if (open > 0) return mistake(from, "expected a closing bracket");
    return std::string(text_.substr(from, at_ - from));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t nameEnd_ = 0;
};

struct Scale {
  std::string_view name;
  double factor;
};
constexpr std::array<Scale, 9> kBytes = {{{"B", 1},
                                          {"KB", 1e3},
                                          {"MB", 1e6},
                                          {"GB", 1e9},
                                          {"TB", 1e12},
                                          {"KiB", 1024.},
                                          {"MiB", 1024. * 1024},
                                          {"GiB", 1024. * 1024 * 1024},
                                          {"TiB", 1024. * 1024 * 1024 * 1024}}};
constexpr std::array<Scale, 4> kTimes = {{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};

bool isSame(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return std::tolower(static_cast<unsigned char>(x)) ==
                  std::tolower(static_cast<unsigned char>(y));
         });
}

template <std::size_t kScales>
std::optional<double> factorOf(const std::array<Scale, kScales>& scales, std::string_view name) {
  for (const auto& scale : scales) {
    if (isSame(scale.name, name)) return scale.factor;
  }
  return std::nullopt;
}

}  // namespace

tl::expected<Query, QueryMistake> parseQuery(std::string_view text) { return Parser(text).parse(); }

std::string writtenValue(const std::string& value) {
  const auto query = parseQuery("name:" + value);
  const bool isPlain =
      query && query->size() == 1 && query->front().values == std::vector<std::string>{value};
  return isPlain ? value : '"' + value + '"';
}

// Blanks inside brackets and quotes do not end a term.
std::size_t termAt(std::string_view text, std::size_t cursor) {
  std::size_t from = 0;
  int open = 0;
  bool isQuoted = false;
  for (std::size_t at = 0; at < cursor; ++at) {
    const char letter = text[at];
    if (letter == '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (letter == '(' || letter == '[') ++open;
    if (letter == ')' || letter == ']') --open;
    if (open <= 0 && isBlank(letter)) from = at + 1;
  }
  return from;
}

std::optional<double> parseQuantity(std::string_view text, Unit unit) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  const auto name = text.substr(static_cast<std::size_t>(end - text.data()));
  if (name.empty()) return number;
  const auto factor = unit == Unit::Bytes  ? factorOf(kBytes, name)
                      : unit == Unit::Time ? factorOf(kTimes, name)
                                           : std::nullopt;
  return factor ? std::optional(number * *factor) : std::nullopt;
}

std::optional<std::pair<std::int64_t, std::int64_t>> parseRange(std::string_view text) {
  std::int64_t first = 0;
  const char* const end = text.data() + text.size();
  const auto one = std::from_chars(text.data(), end, first);
  if (one.ec != std::errc()) return std::nullopt;
  std::int64_t last = first;
  if (one.ptr != end) {
    if (*one.ptr != '-') return std::nullopt;
    const auto other = std::from_chars(one.ptr + 1, end, last);
    if (other.ec != std::errc() || other.ptr != end || last < first) return std::nullopt;
  }
  return std::pair(first, last);
}

}  // namespace shardlens
