#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace shardlens {

// Returns "mm" for "aten.mm" and "aten.mm.out"; "" for an operator of another namespace.
inline std::string_view wordOf(std::string_view name) {
  constexpr std::string_view kAten = "aten.";
  if (!name.starts_with(kAten)) return {};
  name.remove_prefix(kAten.size());
  return name.substr(0, name.find('.'));
}

// Returns true for operators that return memory to which nothing is written yet.
inline bool isAllocation(std::string_view word) {
  return word.starts_with("empty") || word.starts_with("new_empty");
}

// Returns true for operators whose result depends on no tensor and on no random number: "zeros".
inline bool isCreation(std::string_view word) {
  constexpr std::array<std::string_view, 8> kWords{"zeros", "ones",          "full",  "arange",
                                                   "eye",   "scalar_tensor", "zero_", "fill_"};
  return isAllocation(word) || std::ranges::find(kWords, word) != kWords.end() ||
         word.starts_with("new_") || (word.ends_with("_like") && !word.starts_with("rand"));
}

// Returns true for the product of two matrices, or of batches of them.
inline bool isMatrixProduct(std::string_view word) { return word == "mm" || word == "bmm"; }

// Returns true for in-place operators that set each element and read none of the tensor.
inline bool isSetter(std::string_view word) {
  constexpr std::array<std::string_view, 11> kWords{
      "fill_",   "zero_",        "copy_",      "uniform_",   "normal_",    "random_",
      "cauchy_", "exponential_", "geometric_", "bernoulli_", "log_normal_"};
  return std::ranges::find(kWords, word) != kWords.end();
}

// Returns true for operators that return all elements of their input in the same order, in its
// memory: "view".
inline bool isReshape(std::string_view word) {
  constexpr std::array<std::string_view, 10> kWords{
      "view",      "_unsafe_view", "_reshape_alias", "reshape", "squeeze",
      "unsqueeze", "detach",       "detach_",        "alias",   "lift_fresh"};
  return std::ranges::find(kWords, word) != kWords.end();
}

// Returns true for operators that return some or all elements of their input, in its memory:
// "slice", "view".
inline bool isMemoryView(std::string_view word) {
  constexpr std::array<std::string_view, 14> kWords{
      "t",      "transpose", "permute",          "expand", "as_strided", "slice",    "select",
      "narrow", "split",     "split_with_sizes", "chunk",  "unbind",     "diagonal", "unfold"};
  return isReshape(word) || std::ranges::find(kWords, word) != kWords.end();
}

}  // namespace shardlens
