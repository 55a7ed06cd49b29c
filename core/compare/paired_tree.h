#pragma once

#include "core/compare/event_pairs.h"
#include "core/trace/snapshot/snapshot.h"

#include <memory>
#include <utility>
#include <vector>

namespace shardlens {

// An event in two recordings; 0 in a recording that lacks it.
struct EventPair {
  EventId left = 0;
  EventId right = 0;
  bool operator==(const EventPair&) const = default;
};

// The events of two recordings as one tree: corresponding events are one node, and an event that
// only one recording has is a node of its own, between the nodes of its neighbours. Reads the
// journals on each call. The journals and the pairs must outlive it.
class PairedTree {
 public:
  // A recording, and the histories of a snapshot of it, which list its roots. Must not be null.
  struct Side {
    const Journal& journal;
    std::shared_ptr<const Histories> histories;
  };

  PairedTree(Side left, Side right, const EventPairs& pairs)
      : left_(std::move(left)), right_(std::move(right)), pairs_(pairs) {}

  std::vector<EventPair> roots() const;
  // Returns the nodes directly inside a node. Reads its events.
  std::vector<EventPair> childrenOf(const EventPair& node) const;
  // Returns true if a recording has an event inside the node. Reads no event for a root, except in
  // imported recordings.
  bool hasChildren(const EventPair& node) const;

 private:
  std::vector<EventPair> merged(const std::vector<EventId>& left,
                                const std::vector<EventId>& right) const;

  Side left_;
  Side right_;
  const EventPairs& pairs_;
};

// Returns the tensor of the right recording that corresponds to `tensor` of the left one: the
// subject of the event that corresponds to the one that created it, else the newest tensor of the
// same name. Both must exist at their snapshot. 0: none.
TensorId counterpartOf(const Journal& left, const Snapshot& leftAt, TensorId tensor,
                       const EventPairs& pairs, const Journal& right, const Snapshot& rightAt);

}  // namespace shardlens
