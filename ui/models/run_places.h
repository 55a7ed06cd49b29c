#pragma once

#include "core/trace/journal/journal.h"

#include <QString>
#include <vector>

namespace shardlens {

// Something in a recording that can be gone to by its name.
struct RunPlace {
  enum class Kind { Event, Step, Rank, Tensor, Line, Module };

  Kind kind;
  QString title;      // "Tensor: x f32[8, 4]"
  EventId event = 0;  // to go to; of a module, its first event; 0 for a step or rank
  int number = -1;    // of a step, from 0, or of a rank
  QString name = {};  // of a module
};

// Finds places of a recording by a few letters of their title, and events and ranks by their
// number. Reads the first 200,000 events, and again after the journal has grown.
class RunPlaces {
 public:
  // Returns at most 40 places: an event and a hosted rank with the typed number, then the places
  // with the best fuzzyScore(). Empty if `typed` is blank. A journal that find() has read must not
  // be replaced by another one at the same address with as many events.
  std::vector<RunPlace> find(const Journal& journal, const QString& typed);

 private:
  void read(const Journal& journal);

  const Journal* journal_ = nullptr;
  EventId size_ = 0;
  std::vector<RunPlace> named_;  // all places with a name
};

}  // namespace shardlens
