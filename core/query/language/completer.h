#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/journal/tensor_ranks.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace shardlens {

// A completion of the query text at the cursor.
struct Completion {
  std::string text;     // replaces the text from `from` to the cursor
  std::string meaning;  // for fields: FieldInfo::meaning; "" for values
  std::size_t from = 0;
  bool operator==(const Completion&) const = default;
};

// Completes queries with field names, and with values that occur in a journal. Call look()
// repeatedly until it returns false; the journal may grow in between. Not thread-safe.
class Completer {
 public:
  static constexpr std::uint32_t kSlice = 50'000;

  // Keeps a reference to the journal.
  explicit Completer(const Journal& journal) : journal_(journal), axisOf_(journal) {}

  // Indexes up to `most` further events, specs and tensors each. Returns false once all are
  // indexed.
  bool look(std::uint32_t most = kSlice);
  // Returns the completions of the term before the cursor: field names with its prefix, or values
  // of its field as far as indexed, in alphabetical order. At most the first 200 values of a field
  // are known. A cursor after the text counts as its end.
  std::vector<Completion> complete(std::string_view text, std::size_t cursor) const;

 private:
  // The distinct values of a field, up to a limit.
  class Values {
   public:
    // Returns true the first time for each id except 0.
    bool isNew(std::uint64_t id) { return id != 0 && ids_.insert(id).second; }
    void add(std::string text);
    const std::set<std::string>& texts() const { return texts_; }

   private:
    std::unordered_set<std::uint64_t> ids_;
    std::set<std::string> texts_;
  };
  std::vector<std::string> valuesOf(std::string_view field) const;
  void scanEvent(EventId id);

  const Journal& journal_;
  Axes axisOf_;
  Values ops_, names_, tensors_, placements_, dtypes_, axes_, groups_, modules_, files_, devices_,
      sites_;
  EventId events_ = 0;  // indexed so far
  SpecId specs_ = 0;
  TensorId namedTensors_ = 0;
};

}  // namespace shardlens
