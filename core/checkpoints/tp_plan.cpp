#include "core/checkpoints/tp_plan.h"

#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/checkpoints/input/bad_checkpoint.h"
#include "core/checkpoints/input/input_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace shardlens {
namespace {

// How a style divides the parameters of a module.
struct Style {
  enum class Divides : std::uint8_t { Nothing, Rows, Columns, First, Second };

  std::string_view name;
  Divides divides;
  int blocks = 1;  // parts that are divided separately: 2 for a packed gate and up projection
};

using Divides = Style::Divides;

constexpr std::array<Style, 26> kStyles = {{
    {"colwise", Divides::Rows},  // divides the columns of the transposed weight, its rows as stored
    {"colwise_rep", Divides::Rows},
    {"colwise_gather_output", Divides::Rows},
    {"local_colwise", Divides::Rows},
    {"packed_colwise", Divides::Rows, 2},
    {"local_packed_colwise", Divides::Rows, 2},
    {"rowwise", Divides::Columns},
    {"rowwise_rep", Divides::Columns},
    {"rowwise_split_input", Divides::Columns},
    {"local_rowwise", Divides::Columns},
    {"packed_rowwise", Divides::Columns, 2},
    {"local_packed_rowwise", Divides::Columns, 2},
    {"embedding_rowwise", Divides::First},
    {"embedding_colwise", Divides::Second},
    {"grouped_gemm", Divides::First},
    {"sequence_parallel", Divides::Nothing},
    {"replicate", Divides::Nothing},
    {"replicated_with_grad_allreduce", Divides::Nothing},
    {"gather", Divides::Nothing},
    {"local", Divides::Nothing},
    {"isolated", Divides::Nothing},
    {"ep_router", Divides::Nothing},
    {"all_reduce", Divides::Nothing},
    {"moe_tp_experts", Divides::Nothing},
    {"moe_identity_expert", Divides::Nothing},
    {"mla_kv_a_proj", Divides::Nothing},
}};

const Style* findStyle(std::string_view name) {
  const auto* const found = std::find_if(kStyles.begin(), kStyles.end(),
                                         [&](const Style& style) { return style.name == name; });
  return found == kStyles.end() ? nullptr : found;
}

std::string styleNames() {
  std::vector<std::string> names;
  for (const auto& style : kStyles) names.emplace_back(style.name);
  return joined(names);
}

// Returns the name with * for each number.
std::string patternOf(std::string_view name) {
  std::string pattern;
  for (const char letter : name) {
    const bool isDigit = std::isdigit(static_cast<unsigned char>(letter)) != 0;
    if (!isDigit) pattern += letter;
    if (isDigit && (pattern.empty() || pattern.back() != '*')) pattern += '*';
  }
  return pattern;
}

// Returns the dimension that a style divides; nullopt if it replicates the parameter.
std::optional<std::size_t> dimensionOf(const Style& style, const CheckpointTensor& tensor) {
  const std::size_t dims = tensor.shape.size();
  const bool isBias = tensor.name.ends_with("bias");
  switch (style.divides) {
    case Divides::Nothing:
      return std::nullopt;
    case Divides::Rows:
      if (dims == 0) return std::nullopt;
      return dims == 1 || isBias ? dims - 1 : dims - 2;
    case Divides::Columns:
      return dims == 0 || isBias ? std::nullopt : std::optional(dims - 1);
    case Divides::First:
      return dims == 0 ? std::nullopt : std::optional(std::size_t{0});
    case Divides::Second:
      return dims < 2 ? std::nullopt : std::optional(std::size_t{1});
  }
  return std::nullopt;
}

std::vector<Box> boxesOf(const CheckpointTensor& tensor, std::size_t dim, int blocks, int ranks,
                         int rank) {
  std::vector<Box> boxes;
  const std::int64_t block = tensor.shape[dim] / blocks;
  const std::int64_t part = block / ranks + (block % ranks == 0 ? 0 : 1);
  for (int i = 0; i < blocks; ++i) {
    const std::int64_t begin = std::min(block, part * rank), end = std::min(block, begin + part);
    if (begin == end) continue;
    Box box = wholeOf(tensor.shape);
    box.offsets[dim] = i * block + begin;
    box.sizes[dim] = end - begin;
    boxes.push_back(std::move(box));
  }
  return boxes;
}

// Returns the names of the files that have elements of the boxes.
std::vector<std::string> filesOf(const Checkpoint& checkpoint, const CheckpointTensor& tensor,
                                 const std::vector<Box>& boxes) {
  std::set<std::size_t> found;
  for (const Slice& slice : tensor.slices) {
    const bool isPart = std::any_of(boxes.begin(), boxes.end(), [&](const Box& box) {
      return intersection(box, slice.box).has_value();
    });
    if (isPart) found.insert(slice.file);
  }
  std::vector<std::string> names;
  for (const std::size_t file : found) names.push_back(checkpoint.files[file].name);
  return names;
}

// Finds the rule of a parameter, as transformers does: by its name, then by its module's. The rules
// of a base model also match below a first component, as in "model.layers.0.mlp".
class RuleFinder {
 public:
  explicit RuleFinder(const std::vector<TpRule>& rules) : rules_(rules), isUsed_(rules.size()) {}

  const TpRule* find(const std::string& name) {
    const std::string pattern = patternOf(name);
    const TpRule* const found = findExact(pattern);
    const auto dot = pattern.find('.');
    if (found != nullptr || dot == std::string::npos) return found;
    return findExact(std::string_view(pattern).substr(dot + 1));
  }
  bool isUsed(std::size_t rule) const { return isUsed_[rule]; }

 private:
  const TpRule* findExact(std::string_view name) {
    for (const std::string_view wanted : {name, name.substr(0, name.rfind('.'))}) {
      for (std::size_t i = 0; i < rules_.size(); ++i) {
        if (rules_[i].pattern != wanted) continue;
        isUsed_[i] = true;
        return &rules_[i];
      }
    }
    return nullptr;
  }

  const std::vector<TpRule>& rules_;
  std::vector<bool> isUsed_;
};

}  // namespace

Result<std::vector<TpRule>> readTpPlan(const std::filesystem::path& path) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;
  nlohmann::json plan;
  try {
    const InputFile file(path);
    if (file.size() > kMostBytes)
      return fail(path.string() + ": got more than 16 MiB, expected a plan");
    plan = parsedJson(file.text(0, file.size()));
  } catch (const BadCheckpoint& bad) {
    return fail(bad.what());
  }
  for (const char* const member : {"base_model_tp_plan", "tp_plan"}) {
    if (plan.is_object() && plan.contains(member)) {
      const nlohmann::json inner = plan[member];
      plan = inner;
      break;
    }
  }
  if (!plan.is_object())
    return fail(path.string() + ": got no JSON object, expected one from patterns to styles");
  std::vector<TpRule> rules;
  for (const auto& [pattern, style] : plan.items()) {
    if (!style.is_string() || findStyle(style.get<std::string>()) == nullptr) {
      return fail(fmt::format("{}: '{}': got the style {}, expected one of {}", path.string(),
                              pattern.substr(0, 200), shown(style), styleNames()));
    }
    rules.push_back({pattern, style.get<std::string>()});
  }
  return rules;
}

std::vector<HeldSlices> applyTpPlan(const Checkpoint& checkpoint, const std::vector<TpRule>& rules,
                                    int ranks, std::vector<CheckpointProblem>& problems) {
  std::vector<HeldSlices> held;
  RuleFinder finder(rules);
  for (const auto& tensor : checkpoint.tensors) {
    const TpRule* const rule = finder.find(tensor.name);
    const Style* const style = rule == nullptr ? nullptr : findStyle(rule->style);
    const auto dim = style == nullptr ? std::nullopt : dimensionOf(*style, tensor);
    if (!dim) {
      const std::vector<Box> whole{wholeOf(tensor.shape)};
      held.push_back({&tensor, rule == nullptr ? "" : rule->style, true, 0, whole,
                      filesOf(checkpoint, tensor, whole)});
      continue;
    }
    if (const std::int64_t parts = std::int64_t{ranks} * style->blocks;
        tensor.shape[*dim] % parts != 0) {
      problems.push_back(
          {.kind = "uneven",
           .tensor = tensor.name,
           .sentence = fmt::format(
               "{}: dimension {} of {} is not a multiple of {}, as {} needs for {} ranks: versions "
               "of transformers that round down leave out elements",
               tensor.name, *dim, extentsText(tensor.shape), parts, rule->style, ranks)});
    }
    for (int rank = 0; rank < ranks; ++rank) {
      auto boxes = boxesOf(tensor, *dim, style->blocks, ranks, rank);
      auto files = filesOf(checkpoint, tensor, boxes);
      held.push_back({&tensor, rule->style, false, rank, std::move(boxes), std::move(files)});
    }
  }
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (finder.isUsed(i)) continue;
    problems.push_back({.kind = "unused-rule",
                        .tensor = {},
                        .sentence = fmt::format("the rule '{}' ({}) matches no tensor",
                                                rules[i].pattern, rules[i].style),
                        .isWarning = true});
  }
  return held;
}

}  // namespace shardlens
