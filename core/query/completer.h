#pragma once

#include "core/trace/journal/journal.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace shardlens {

// What a person may go on with in a query.
struct Completion {
  std::string text;     // stands for what was written from `from` to the cursor
  std::string meaning;  // of a field; empty of a value
  std::size_t from = 0;
  bool operator==(const Completion&) const = default;
};

// Knows the fields, and which values a journal, which may still grow, has for them.
class Completer {
 public:
  static constexpr std::uint32_t kSlice = 50'000;

  // The journal must outlive it.
  explicit Completer(const Journal& journal) : journal_(journal) {}

  // Looks at so many more events, specs and tensors; false: it has looked at all of them.
  bool look(std::uint32_t most = kSlice);
  // Of the term before the cursor: fields that begin so, or values of its field, as far as it has
  // looked; in order.
  std::vector<Completion> complete(std::string_view text, std::size_t cursor) const;

 private:
  // The first of a field's values, each once.
  class Values {
   public:
    bool isNew(std::uint32_t id) { return id != 0 && ids_.insert(id).second; }
    void add(std::string text);
    const std::set<std::string>& texts() const { return texts_; }

   private:
    std::unordered_set<std::uint32_t> ids_;
    std::set<std::string> texts_;
  };
  std::vector<std::string> valuesOf(std::string_view field) const;
  void lookAtEvent(EventId id);

  const Journal& journal_;
  Values ops_, names_, tensors_, placements_, dtypes_, axes_, groups_, modules_, files_, devices_,
      sites_;
  EventId events_ = 0;  // looked at
  SpecId specs_ = 0;
  TensorId namedTensors_ = 0;
};

}  // namespace shardlens
