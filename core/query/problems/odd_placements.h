#pragma once

#include "core/trace/journal/journal.h"
#include "core/view/words/odd_placement.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace shardlens {

// The tensors that a program placed itself (inputs, weights, explicitly redistributed tensors), and
// which of them is placed otherwise than those of the same shape in the other layers. Tensors of
// other layers have the same name with another number: "down3" and "down4", "layers.3.w" and
// "layers.4.w".
class OddPlacements {
 public:
  // Keeps a reference to the journal.
  explicit OddPlacements(const Journal& journal) : journal_(journal) {}

  // Reads the next event of the journal.
  void take(EventId id, const Event& event);
  // Returns the placed tensor that this is, or a view of, as `w` of t(w). 0 if it is neither, or if
  // kMostViews further views were made since.
  TensorId placedOf(TensorId tensor) const;
  // Returns the others if the tensor is placed otherwise than most: at most a third is placed so,
  // and fewer than in the most frequent way. `tensor` must be one of placedOf().
  std::optional<view::OddPlacement> oddOf(TensorId tensor) const;

 private:
  static constexpr std::size_t kMostViews = 4096;

  std::string familyOf(TensorId tensor) const;

  const Journal& journal_;
  // The newest tensor of each name, by family: the name with # for each number, and the shape.
  std::map<std::string, std::map<StringId, TensorId>> families_;
  std::unordered_map<TensorId, TensorId> placed_;  // placed tensors and views, to the placed one
  std::vector<TensorId> views_;                    // a ring of the keys of views in placed_
  std::size_t nextView_ = 0;
};

}  // namespace shardlens
