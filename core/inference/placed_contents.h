#pragma once

#include "core/inference/domain.h"
#include "core/inference/graph.h"
#include "core/inference/solver.h"
#include "core/model/local_type.h"
#include "core/model/placement.h"

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace shardlens {

// The placement of a plain tensor along one axis, as far as it follows from the recording.
struct InferredPlacement {
  std::optional<Placement> placement = {};  // nullopt: unknown
  // Invariant or Varying, if the program states it with spmd_types. A Varying tensor has a
  // placement only if that follows from other facts.
  std::optional<LocalType> type = {};
  bool isContradicted = false;  // facts about it do not agree; then `placement` is unknown
  Evidence evidence = {};
  bool operator==(const InferredPlacement&) const = default;
};

// Returns placements along some axes as placements along `count` axes, where `axes` has the index
// of each of them. The placements along the remaining axes are unknown.
std::vector<InferredPlacement> alongAll(const std::vector<InferredPlacement>& placements,
                                        const std::vector<std::size_t>& axes, std::size_t count);

// The inferred placements of what each plain tensor of a recording contains at each event.
class PlacedContents {
 public:
  PlacedContents() = default;
  // Copies the states of the graph.
  explicit PlacedContents(const PlainGraph& graph);

  // Joins the contents of programs of different ranks. `axes` has the axis of the result for each
  // axis of a program. A tensor of several programs has the placements on which these agree.
  PlacedContents(std::vector<PlacedContents> programs, std::vector<std::vector<std::size_t>> axes,
                 std::size_t count);

  // Replaces the ids of events and tensors by those that the functions return, 0: none.
  void renumber(const std::function<EventId(EventId)>& eventOf,
                const std::function<TensorId(TensorId)>& tensorOf);

  // Adds the placements along the next axis. `differs` has the variables whose values differ at
  // some event.
  void addAxis(const PlacementSolver& solver, PlacementCodes& codes,
               const std::vector<bool>& differs);

  // Adds what spmd_types states of a variable along an axis that was added before.
  void addType(std::size_t axis, std::size_t variable, LocalType type, EventId event) {
    types_[{axis, variable}] = {type, event};
  }

  // Returns the placement of a variable of the graph along an axis. Not for joined contents.
  InferredPlacement of(std::size_t variable, std::size_t axis) const;
  // Returns the placements, one for each axis, of a tensor after an event; empty if no operator on
  // plain tensors has used it so far.
  std::vector<InferredPlacement> at(TensorId tensor, EventId event) const;

 private:
  struct Placed {
    std::int8_t code = kUnknown;  // of codes_
    EvidenceKind kind = EvidenceKind::None;
    EventId event = 0;
  };
  static constexpr std::int8_t kUnknown = -1;
  static constexpr std::int8_t kContradicted = -2;

  std::vector<InferredPlacement> joinedAt(TensorId tensor, EventId event) const;

  std::vector<PlainState> states_;         // by tensor, then by event
  std::vector<std::vector<Placed>> axes_;  // for each axis, by variable
  std::map<std::pair<std::size_t, std::size_t>, std::pair<LocalType, EventId>> types_;
  PlacementCodes codes_;
  std::vector<PlacedContents> programs_;  // of joined contents, which have no states
  std::vector<std::vector<std::size_t>> axesOf_;
  std::size_t count_ = 0;  // axes
};

}  // namespace shardlens
