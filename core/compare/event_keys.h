#pragma once

#include "core/compare/sequence_matches.h"
#include "core/trace/journal/journal.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>

namespace shardlens {

// Computes two hash keys per event, for matching events of two recordings. text(): the name and
// kind. call(): the called operator and kind without tensor names; only the kind for events that
// call nothing. Caches the hash of each name. The journal must outlive this object.
class EventKeys {
 public:
  explicit EventKeys(const Journal& journal) : journal_(journal) {}

  std::uint64_t text(const Event& event) {
    std::uint64_t& hash = texts_[Journal::nameKey(event)];
    if (hash == 0) hash = hashOf(journal_.name(event));
    return hash ^ static_cast<std::uint64_t>(event.kind);
  }

  // Appends both keys of an event.
  void add(const Event& event, KeyedSequence& to) {
    to.first.push_back(text(event));
    to.second.push_back(call(event));
  }

 private:
  static std::uint64_t hashOf(std::string_view text) { return std::hash<std::string_view>()(text); }

  // Returns "aten.embedding" for "y = aten.embedding(w, x)"; the whole text if it has no bracket.
  static std::string_view callOf(std::string_view text) {
    const auto bracket = text.find('(');
    if (bracket == std::string_view::npos) return text;
    const auto equals = text.substr(0, bracket).rfind("= ");
    const auto begin = equals == std::string_view::npos ? 0 : equals + 2;
    return text.substr(begin, bracket - begin);
  }

  static bool isCall(EventKind kind) {
    return kind == EventKind::Step || kind == EventKind::Operator ||
           kind == EventKind::Collective || kind == EventKind::Compute;
  }

  std::uint64_t call(const Event& event) {
    const auto kind = static_cast<std::uint64_t>(event.kind);
    if (!isCall(event.kind)) return kind;
    std::uint64_t& hash = calls_[Journal::nameKey(event)];
    if (hash == 0) hash = hashOf(callOf(journal_.name(event)));
    return hash ^ kind;
  }

  const Journal& journal_;
  std::unordered_map<std::uint64_t, std::uint64_t> texts_;  // text keys, by Journal::nameKey()
  std::unordered_map<std::uint64_t, std::uint64_t> calls_;  // call keys, likewise
};

}  // namespace shardlens
