// Text notation of placements: printer and parser.

#include "core/model/notation.h"

#include <fmt/core.h>

#include <array>
#include <cctype>
#include <charconv>

namespace shardlens {
namespace {

std::string number(double value) {
  std::array<char, 32> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

struct Printer {
  std::string operator()(const Replicate&) const { return "R"; }
  std::string operator()(const Shard& p) const { return fmt::format("S({})", p.dim); }
  std::string operator()(const StridedShard& p) const {
    return fmt::format("SS({}, {})", p.dim, p.splitFactor);
  }
  std::string operator()(const Partial& p) const {
    const std::string op(reduceOpName(p.op));
    return p.op == ReduceOp::PremulSum ? "P(" + op + ", " + number(p.factor) + ")"
                                       : "P(" + op + ")";
  }
  std::string operator()(const NormPartial& p) const { return "NormP(" + number(p.norm) + ")"; }
  std::string operator()(const MaskPartial& p) const {
    return fmt::format("MaskP({}, {}, {})", reduceOpName(p.op), toText(p.offsetShape), p.offsetDim);
  }
};

// A left-to-right parser of one placement. A read that fails does not advance.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool take(char c) { return take(std::string_view(&c, 1)); }
  bool atEnd() {
    skipSpace();
    return rest_.empty();
  }
  std::string_view word() {
    skipSpace();
    std::size_t n = 0;
    while (n < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[n])) || rest_[n] == '_'))
      ++n;
    const auto taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
  }
  // Reads a number. Rejects NaN, because a placement must equal itself.
  template <class T>
  std::optional<T> value() {
    skipSpace();
    T parsed{};
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), parsed);
    if (error != std::errc() || parsed != parsed) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return parsed;
  }
  // Reads "[10, 3]" or "torch.Size([10, 3])".
  std::optional<Shape> shape() {
    if (!take("torch.Size(")) return sizes();
    auto inner = sizes();
    return take(')') ? inner : std::nullopt;
  }

 private:
  bool take(std::string_view text) {
    skipSpace();
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  std::optional<Shape> sizes() {
    Shape sizes;
    if (!take('[')) return std::nullopt;
    if (take(']')) return sizes;
    do {
      const auto size = value<std::int64_t>();
      if (!size || *size < 0) return std::nullopt;
      sizes.push_back(*size);
    } while (take(','));
    return take(']') ? std::optional(sizes) : std::nullopt;
  }
  void skipSpace() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

constexpr std::string_view kForms =
    "R, S(dim), SS(dim, split_factor), P(op), P(premul_sum, factor), NormP(p) or "
    "MaskP(op, [shape], dim)";

tl::unexpected<Error> notOne(std::string_view text) {
  return fail("unknown placement '" + std::string(text) + "', expected " + std::string(kForms));
}

Result<Placement> readPartial(Reader& in, std::string_view text) {
  if (!in.take('(')) return Placement(Partial{});
  const auto op = parseReduceOp(in.word());
  if (!op) return tl::unexpected(op.error());
  Partial partial{*op, 1.0};
  if (*op == ReduceOp::PremulSum) {
    const auto factor = in.take(',') ? in.value<double>() : std::nullopt;
    if (!factor) return notOne(text);
    partial.factor = *factor;
  }
  if (!in.take(')')) return notOne(text);
  return Placement(partial);
}

Result<Placement> readMaskPartial(Reader& in, std::string_view text) {
  const auto unset = [&] {
    return fail(
        "placement '" + std::string(text) +
        "': offset_shape needs to be set for _MaskPartial, expected MaskP(op, [shape], dim)");
  };
  if (!in.take('(')) return unset();
  const auto op = parseReduceOp(in.word());
  if (!op) return tl::unexpected(op.error());
  if (in.take(')')) return unset();
  const auto shape = in.take(',') ? in.shape() : std::nullopt;
  const auto dim = shape && in.take(',') ? in.value<int>() : std::nullopt;
  if (!dim || !in.take(')')) return notOne(text);
  if (*dim < 0 || *dim >= static_cast<int>(shape->size())) {
    return fail(
        fmt::format("placement '{}': dimension {} is not one of {}", text, *dim, toText(*shape)));
  }
  return Placement(MaskPartial{*op, *shape, *dim});
}

Result<Placement> readPlacement(Reader& in, std::string_view text) {
  const auto kind = in.word();
  if (kind == "R") return Placement(Replicate{});
  if (kind == "P") return readPartial(in, text);
  if (kind == "MaskP") return readMaskPartial(in, text);
  if (!in.take('(')) return notOne(text);
  Placement placement;
  if (kind == "S") {
    const auto dim = in.value<int>();
    if (!dim) return notOne(text);
    placement = Shard{*dim};
  } else if (kind == "SS" || kind == "_S") {
    const auto dim = in.value<int>();
    const auto factor = dim && in.take(',') ? in.value<int>() : std::nullopt;
    if (!factor || *factor < 1) return notOne(text);
    placement = StridedShard{*dim, *factor};
  } else if (kind == "NormP" || kind == "_NormP") {
    const auto norm = in.value<double>();
    if (!norm) return notOne(text);
    placement = NormPartial{*norm};
  } else {
    return notOne(text);
  }
  if (!in.take(')')) return notOne(text);
  return placement;
}

}  // namespace

std::string toText(const Placement& p) { return std::visit(Printer{}, p); }

std::string toText(const Placements& placements) {
  std::string text = "(";
  for (const auto& p : placements) text += (text.size() > 1 ? ", " : "") + toText(p);
  return text + ")";
}

std::string shortText(const Placements& placements) {
  return placements.size() == 1 ? toText(placements.front()) : toText(placements);
}

std::string toText(const Shape& shape) {
  std::string text = "[";
  for (const auto size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

Result<Placement> parsePlacement(std::string_view text) {
  Reader in(text);
  auto placement = readPlacement(in, text);
  if (placement && !in.atEnd()) return notOne(text);
  return placement;
}

std::vector<std::string_view> splitAtCommas(std::string_view text) {
  std::vector<std::string_view> pieces;
  int depth = 0;
  std::size_t begin = 0;
  const auto take = [&](std::size_t end) {
    auto piece = text.substr(begin, end - begin);
    while (piece.starts_with(' ')) piece.remove_prefix(1);
    while (piece.ends_with(' ')) piece.remove_suffix(1);
    pieces.push_back(piece);
    begin = end + 1;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    depth += text[at] == '(' || text[at] == '[' ? 1 : text[at] == ')' || text[at] == ']' ? -1 : 0;
    if (depth == 0 && text[at] == ',') take(at);
  }
  take(text.size());
  return pieces;
}

Result<Placements> parsePlacements(std::string_view text) {
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  Placements placements;
  for (const auto written : splitAtCommas(text)) {
    auto placement = parsePlacement(written);
    if (!placement) return tl::unexpected(placement.error());
    placements.push_back(std::move(*placement));
  }
  return placements;
}

}  // namespace shardlens
