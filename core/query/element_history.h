#pragma once

#include "core/base/result.h"
#include "core/trace/journal/journal.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// One element of a whole tensor.
struct TensorElement {
  TensorId tensor = 0;
  Shape index;
};

// "y[3, 1]": of the newest tensor of that name; of a step, the newest that it made. Refuses what is
// not in the recording or outside of the tensor.
Result<TensorElement> findElement(const Journal& journal, std::string_view text,
                                  std::optional<int> step);

// Something that happened to an element.
struct ElementEvent {
  enum class What { Produced, Masked, Reduced, Moved, Read, Compared };

  EventId event = 0;
  What what = What::Produced;
  TensorId tensor = 0;  // that has the element; another one after each redistribution
  bool operator==(const ElementEvent&) const = default;
};
std::string_view wordOf(ElementEvent::What what);  // "produced"

// In order, from the operator that made the element's tensor, or the one it was redistributed from,
// to all that was made of it by redistributing.
std::vector<ElementEvent> elementHistory(const Journal& journal, TensorId tensor);

class Lineage;

// The same, some events at a time, of a journal that may grow. It must outlive the search.
class ElementHistorySearch {
 public:
  ElementHistorySearch(const Journal& journal, TensorId tensor);
  ~ElementHistorySearch();

  // Looks at so many more events; false: at all that there are.
  bool advance(EventId events);
  const std::vector<ElementEvent>& found() const;

 private:
  std::unique_ptr<Lineage> lineage_;
};

// The event that laid a tensor's values, those of this event, beside the plain ones; 0 where none
// did. It comes in the same step, and is looked for not far.
EventId checkOf(const Journal& journal, TensorId tensor, EventId values);

// What a rank holds of an element.
struct ElementPlace {
  int rank = 0;
  Shape index;        // in its shard
  std::string value;  // as it is written; empty where it was not captured
  bool isMasked = false;
  bool operator==(const ElementPlace&) const = default;
};

// Those of a tensor's element when an event had happened, by rank.
std::vector<ElementPlace> elementPlaces(const Journal& journal, const TensorElement& element,
                                        EventId position);

}  // namespace shardlens
