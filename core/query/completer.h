#pragma once

#include "core/trace/journal/journal.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// What a person may go on with in a query.
struct Completion {
  std::string text;     // stands for what was written from `from` to the cursor
  std::string meaning;  // of a field; empty of a value
  std::size_t from = 0;
  bool operator==(const Completion&) const = default;
};

// Knows the fields, and which values a journal has for them. Looks through the journal when it is
// first asked for a value.
class Completer {
 public:
  // The journal must outlive it.
  explicit Completer(const Journal& journal) : journal_(journal) {}

  // Of the term before the cursor: fields that begin so, or values of its field; in order.
  std::vector<Completion> complete(std::string_view text, std::size_t cursor);

 private:
  struct Values {
    std::vector<std::string> ops, names, tensors, placements, dtypes, axes, groups, modules, files,
        devices;
  };
  const std::vector<std::string>* valuesOf(std::string_view field);
  void look();

  const Journal& journal_;
  Values values_;
  EventId looked_ = 0;
};

}  // namespace shardlens
