#include "core/imports/collectives.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace shardlens {

namespace {

using Name = std::pair<std::string_view, CollectiveKind>;

// Lower-case names without "_". The first prefix match with a known
// suffix wins; longer names come before their prefixes.
constexpr std::array kNames = {
    Name{"allreduce", CollectiveKind::AllReduce},
    Name{"allgather", CollectiveKind::AllGather},
    Name{"reducescatter", CollectiveKind::ReduceScatter},
    Name{"alltoall", CollectiveKind::AllToAll},
    Name{"broadcast", CollectiveKind::Broadcast},
    Name{"barrier", CollectiveKind::Barrier},
    Name{"gather", CollectiveKind::Gather},
    Name{"scatter", CollectiveKind::Scatter},
    Name{"reduce", CollectiveKind::Reduce},
};
// Accepted suffixes after a name in kNames.
constexpr std::array<std::string_view, 14> kForms = {"",
                                                     "base",
                                                     "coalesced",
                                                     "intotensor",
                                                     "intotensorcoalesced",
                                                     "out",
                                                     "intotensorout",
                                                     "tensor",
                                                     "tensorcoalesced",
                                                     "tensorout",
                                                     "single",
                                                     "v",
                                                     "oop",
                                                     "vsingle"};

// Element sizes in bytes, by c10 and short names.
constexpr auto kSizes = std::to_array<std::pair<std::string_view, int>>({{"Float", 4},
                                                                         {"float", 4},
                                                                         {"Double", 8},
                                                                         {"double", 8},
                                                                         {"Half", 2},
                                                                         {"c10::Half", 2},
                                                                         {"BFloat16", 2},
                                                                         {"c10::BFloat16", 2},
                                                                         {"Byte", 1},
                                                                         {"unsigned char", 1},
                                                                         {"Char", 1},
                                                                         {"signed char", 1},
                                                                         {"Short", 2},
                                                                         {"short", 2},
                                                                         {"short int", 2},
                                                                         {"Int", 4},
                                                                         {"int", 4},
                                                                         {"Long", 8},
                                                                         {"long", 8},
                                                                         {"long int", 8},
                                                                         {"Bool", 1},
                                                                         {"bool", 1},
                                                                         {"f32", 4},
                                                                         {"f64", 8},
                                                                         {"f16", 2},
                                                                         {"bf16", 2},
                                                                         {"i64", 8},
                                                                         {"i32", 4},
                                                                         {"i16", 2},
                                                                         {"i8", 1},
                                                                         {"u8", 1},
                                                                         {"b8", 1},
                                                                         {"Float8_e4m3fn", 1},
                                                                         {"Float8_e5m2", 1},
                                                                         {"UInt16", 2},
                                                                         {"UInt32", 4},
                                                                         {"UInt64", 8}});

}  // namespace

std::optional<CollectiveKind> collectiveOf(std::string_view name) {
  std::string plain;
  for (const char c : name.substr(0, 64)) {
    if (c != '_') plain += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  for (const auto& [begins, kind] : kNames) {
    if (!plain.starts_with(begins)) continue;
    const auto form = std::string_view(plain).substr(begins.size());
    if (std::find(kForms.begin(), kForms.end(), form) != kForms.end()) return kind;
  }
  return std::nullopt;
}

std::string operatorName(std::string_view name) {
  constexpr std::string_view kColons = "::", kDefault = ".default";
  if (name.ends_with(kDefault)) name.remove_suffix(kDefault.size());
  std::string text(name);
  if (const auto at = text.find(kColons); at != std::string::npos) {
    text.replace(at, kColons.size(), ".");
  }
  return text;
}

int elementSize(std::string_view dtype) {
  const auto* const found = std::find_if(kSizes.begin(), kSizes.end(),
                                         [&](const auto& size) { return size.first == dtype; });
  if (found != kSizes.end()) return found->second;
  const auto known = parseDType(dtype);
  return known ? dtypeSize(*known) : 0;
}

std::vector<int> groupMembers(std::string_view list) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  std::vector<int> members;
  if (list.find("...") != std::string_view::npos) return members;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (at != end && members.size() < kMost) {
    int rank = -1;
    const auto [next, problem] = std::from_chars(at, end, rank);
    if (problem == std::errc() && rank >= 0) members.push_back(rank);
    at = problem == std::errc() ? next : at + 1;
  }
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

std::vector<int> groupMembers(std::int64_t start, std::int64_t stride, std::int64_t size) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  std::vector<int> members;
  if (start < 0 || stride <= 0 || size <= 0 || start > kMost || stride > kMost || size > kMost ||
      start + stride * (size - 1) > kMost * 8) {
    return members;
  }
  for (std::int64_t i = 0; i < size; ++i) members.push_back(static_cast<int>(start + i * stride));
  return members;
}

std::string groupName(std::string_view name, std::string_view description) {
  std::string all(name);
  if (!description.empty() && description != "undefined") {
    all += (all.empty() ? "" : " ") + std::string(description);
  }
  return all;
}

}  // namespace shardlens
