#pragma once

#include "core/base/result.h"
#include "core/trace/journal/journal.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// One element of a global tensor.
struct TensorElement {
  TensorId tensor = 0;
  Shape index;
};

// Parses "y[3, 1]": an element of the newest tensor named "y", or, with the index `step`, of the
// newest one made in that step. Returns an error if there is no such tensor or the index is outside
// its shape. Scans the journal backwards.
Result<TensorElement> findElement(const Journal& journal, std::string_view text,
                                  std::optional<int> step);

// An event that concerns an element.
struct ElementEvent {
  enum class What {
    Produced,
    Masked,
    Reduced,
    Moved,
    Read,
    Written,      // in place
    ViewWritten,  // in place, through another tensor of the same memory; perhaps other elements
    Compared
  };

  EventId event = 0;
  What what = What::Produced;
  TensorId tensor = 0;  // the tensor that holds the element; changes with each redistribution
  bool operator==(const ElementEvent&) const = default;
};
std::string_view wordOf(ElementEvent::What what);  // a lower-case word for display: "produced"

// Returns the events of a tensor's elements, in order. Follows redistributions back to the original
// tensor and the operator that made it, and forward to all tensors that were redistributed from it.
// Includes writes through views of these tensors, as far as the views were made by operators of the
// recording: a program may also write through other views, or without torch.
// The tensor must exist. Reads the whole journal, up to twice.
std::vector<ElementEvent> elementHistory(const Journal& journal, TensorId tensor);

class Lineage;

// As elementHistory(), but incremental. The journal may grow and must outlive the search.
class ElementHistorySearch {
 public:
  ElementHistorySearch(const Journal& journal, TensorId tensor);
  ~ElementHistorySearch();

  // Reads up to `events` further events. Returns false once all are read.
  bool advance(EventId events);
  // Returns the events found so far; empty until the origin is known. The reference is valid while
  // the search lives; advance() appends to the list.
  const std::vector<ElementEvent>& found() const;

 private:
  std::unique_ptr<Lineage> lineage_;
};

// Returns the Check event that compared the tensor's values recorded at event `values` with a plain
// run; 0 if there is none. Searches the same step, at most 4,096 events further.
EventId checkOf(const Journal& journal, TensorId tensor, EventId values);

// A rank's copy of an element.
struct ElementPlace {
  int rank = 0;
  Shape index;            // in the rank's local tensor
  std::string value;      // formatted; "" if not captured
  bool isMasked = false;  // masked out by the tensor's mask
  bool operator==(const ElementPlace&) const = default;
};

// Returns the copies of an element after event `position`, by rank. Ranks that do not hold the
// element are left out. Empty if the mesh is unknown, or if the index has another number of
// dimensions than the tensor. The tensor must exist.
std::vector<ElementPlace> elementPlaces(const Journal& journal, const TensorElement& element,
                                        EventId position);

}  // namespace shardlens
