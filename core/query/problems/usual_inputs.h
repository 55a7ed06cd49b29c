#pragma once

#include "core/trace/journal/journal.h"
#include "core/view/words/placement_words.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// How the inputs of calls of an operator at a line of the program are placed, and which placements
// need no implicit redistribution. In a loop over layers, the call of one layer may differ.
class UsualInputs {
 public:
  // Keeps a reference to the journal.
  explicit UsualInputs(const Journal& journal) : journal_(journal) {}

  // Counts an operator event by the placements of its inputs.
  void take(EventId call);
  // Marks the placements of a call that take() counted: they need a redistribution.
  void addMoved(EventId call);
  // Returns "input 2 is S(1), and S(0) in 10 other calls at this line", the first input of the call
  // that is placed otherwise than in the most frequent calls without redistribution. "" if there
  // are no such calls.
  std::string differenceOf(EventId call, view::Notation notation) const;

 private:
  static constexpr std::size_t kMostPlaces = 1 << 16;
  static constexpr std::size_t kMostOfPlace = 16;

  struct Calls {
    std::vector<SpecId> inputs;
    EventId first = 0;
    std::size_t times = 0;
    bool isMoved = false;
  };
  using Place = std::pair<StringId, StringId>;  // operator, site

  std::vector<SpecId> specsOf(EventId call) const;

  const Journal& journal_;
  std::map<Place, std::vector<Calls>> places_;
};

}  // namespace shardlens
