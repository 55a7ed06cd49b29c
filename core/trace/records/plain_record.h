#pragma once

#include "core/model/local_type.h"
#include "core/model/placement.h"
#include "core/trace/records/json_fields.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// The detail of an Operator event on plain tensors, as the recorder of jobs writes it.
struct PlainCall {
  // The arguments by name: {"tensor": n} is the n-th input of the event, {"dtype": "float32"} a
  // dtype. Null for a collective.
  DetailJson args = nullptr;
  std::string collective = {};  // its kind, as "all_reduce"; empty for other operators
  std::string reduction = {};   // "sum"
  std::string group = {};       // the description of its process group, if the program gave one
  bool isPointwise = false;     // libtorch tags the operator as elementwise
  bool isList = false;          // it has a tensor for each member
  // Of an all_to_all of one tensor: a rank sends parts of different sizes, and receives such.
  bool isUneven = false;
  bool differs = false;  // merged recordings: the ranks have different arguments
  // Merged recordings: the indices of inputs for which the ranks have different tensors.
  std::vector<std::size_t> mixed = {};
};
// Returns an empty record for an operator on sharded tensors. Malformed members read as empty.
PlainCall readPlainCall(std::string_view detail);
// Returns the detail of a call from those that the ranks recorded: that of the first rank, with the
// members `differs` and `mixed` set. It is uneven if it is on one rank.
std::string joinedCallDetail(const std::vector<std::string_view>& details,
                             const std::vector<std::size_t>& mixed);

// What a recorded plain tensor is to the program. None: the result of an operator. Alias: all of
// its memory was written through another tensor. Overlap: a part of its memory may have been
// written through another tensor. Claim: the program stated its placement. Random: the value is the
// state of the generator that the enclosing operator uses. Pending: an optimizer reads the gradient
// while a collective still fills it. Loaded: it was filled from a checkpoint, see load_record.h.
enum class PlainRole {
  None,
  Parameter,
  Buffer,
  Gradient,
  Output,
  Alias,
  Overlap,
  Claim,
  Random,
  Pending,
  Loaded
};
// Reads the detail of a Result event.
PlainRole readPlainRole(std::string_view detail);

// What a Claim states along one axis: a placement, or V of spmd_types.
struct PlainStatement {
  std::string axis;                         // name
  std::vector<int> form = {};               // the axis as distances from its first rank; or empty
  std::optional<Placement> placement = {};  // nullopt for V
  std::optional<LocalType> type = {};       // if spmd_types states it and it is I or V
  // Merged recordings: what each rank states, "S(0)", if that differs between them; "" for nothing.
  // The remaining members are those of one rank then.
  std::map<int, std::string> byRank = {};
};
struct PlainStatements {
  std::string by = "assert_placement";  // the function or plan that states it
  std::vector<PlainStatement> axes = {};
};
// Leaves out axes with other text than a placement, I or V.
PlainStatements readPlainClaim(std::string_view detail);
// Returns the detail of a claim of which the ranks recorded other details. Returns the detail of
// the first rank if it is no claim.
std::string joinedClaimDetail(const std::map<int, std::string_view>& detailByRank);
std::string toText(const PlainStatement& statement);  // "S(0)", "V"

}  // namespace shardlens
