#pragma once

#include "core/model/spec.h"
#include "core/trace/journal/journal.h"
#include "core/trace/records/load_record.h"
#include "core/trace/records/plain_record.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlens {

// The contents of a plain tensor between two writes, on all ranks.
struct PlainVariable {
  TensorMeta meta = {};  // of one rank's local tensor
  TensorId tensor = 0;   // the tensor that has the contents; 0: an argument that is none
  EventId event = 0;     // the Result that made it, or the event that first used it
  // A leaf is not the result of a recorded operator, or consists of random numbers. A parameter is
  // a leaf.
  bool isLeaf = false;
  bool isParameter = false;
  // A leaf that operators of a step without recorded operators may have made, so that it may be a
  // partial value.
  bool isUnseen = false;
  // Computed from the arguments of operators alone, as zeros() is: the same on all ranks. It may
  // stand for a shard as well, as a part of zeros.
  bool isConstant = false;
};

// The names of operations that stand for a write to a part of a tensor of one dimension, as a
// bucket of gradients: the first one after a write to all of it, and later ones. The inputs are
// what the tensor contained before and what was written, the output is what it contains then. The
// operation follows the operator that wrote, and has its event.
inline constexpr std::string_view kFirstPartWrite = "first write of a part";
inline constexpr std::string_view kPartWrite = "write of a part";
inline bool isPartWrite(std::string_view name) {
  return name == kFirstPartWrite || name == kPartWrite;
}

// A recorded operator on plain tensors. `inputs` and `outputs` are indices of variables.
struct PlainOperation {
  EventId event = 0;
  std::string name;                       // "aten.mm"
  std::shared_ptr<const PlainCall> call;  // not null
  std::vector<std::size_t> inputs = {};
  std::vector<std::size_t> outputs = {};
  // For each output the index of the input that it was written into, or -1.
  std::vector<int> written = {};
  // Variables all of whose memory the operator wrote through another tensor.
  std::vector<std::size_t> aliases = {};
  std::vector<std::vector<int>> groups = {};  // of a collective
  // Of an all_gather or reduce_scatter: the dimension of the gathered tensor along which its parts
  // follow each other; of an all_to_all or gather, that along which the received parts follow each
  // other; -1 if unknown.
  int dim = 0;
  // Of an all_to_all or scatter of a list: the dimension along which the sent parts follow each
  // other; -1 if unknown.
  int sentDim = -1;
  // Of an all_to_all of one tensor: the members' parts are a dimension of their own before or after
  // it, as in an exchange of [experts, tokens, hidden], so that it moves a shard between
  // dimensions.
  bool movesShard = false;
  // Of an uneven all_to_all: a view beside it merges or divides the dimension of its rows.
  bool isOfViews = false;
  // Of a recv on all ranks: the variable that the ranks have sent, if that is clear.
  std::optional<std::size_t> sent = {};
  bool isOnAllRanks = true;
  bool isPart = false;  // it rearranges the parts of a collective, which takes its place
};

// The name of a gradient is that of its parameter with this ending.
inline constexpr std::string_view kGradientEnding = ".grad";
inline std::string parameterName(std::string_view gradient) {
  return std::string(gradient.substr(0, gradient.size() - kGradientEnding.size()));
}

// From this event on, the tensor has the contents `variable`.
struct PlainState {
  TensorId tensor = 0;
  EventId event = 0;
  std::size_t variable = 0;
};

// A parameter, buffer, gradient or module output at one event.
struct PlainOccurrence {
  PlainRole role = PlainRole::None;
  std::string name;  // "layers.0.w", "layers.0.w.grad", "layers.0"
  EventId event = 0;
  TensorId tensor = 0;
  std::size_t variable = 0;
  // Of a parameter or buffer: what all ranks have last written into it, before it became
  // `variable`.
  std::optional<std::size_t> written = {};
};

// What the program, or a package that it uses, stated of a tensor along one axis. The dimension of
// a Shard is not negative.
struct PlainClaim {
  EventId event = 0;
  TensorId tensor = 0;
  std::size_t variable = 0;
  std::string by;  // "assert_placement"
  PlainStatement stated;
};

// A random operator with the state of its generator, which is the value of a tensor at an event.
struct PlainRandom {
  EventId event = 0;
  TensorId tensor = 0;
  std::size_t operation = 0;
};

// The slices of a tensor of a checkpoint that the ranks loaded into plain tensors.
struct PlainLoad {
  EventId event = 0;               // of the first rank
  std::string stored;              // name in the checkpoint
  Extents whole;                   // shape in the checkpoint
  std::map<int, Box> slices = {};  // by rank
};

// The operators on plain tensors of a recording, as a graph of the tensors' contents.
struct PlainGraph {
  std::vector<PlainVariable> variables;
  std::vector<PlainOperation> operations;
  std::vector<PlainState> states;  // in the order of events
  std::vector<PlainOccurrence> occurrences;
  std::vector<PlainClaim> claims;
  std::vector<PlainRandom> randoms;
  std::vector<PlainState> pending;  // gradients that an optimizer read too early, with that event
  std::vector<PlainLoad> loads;     // one for each time that the ranks loaded a tensor
  // The parameter of a gradient: pairs of variables (parameter, gradient).
  std::vector<std::pair<std::size_t, std::size_t>> gradients;
  std::set<std::pair<int, int>> messages;  // that ranks sent: sender, receiver
  bool isCut = false;                      // the recording has more operators than the graph
};

// Reads the graph of a journal. A parameter is one variable in all steps. Reads at most
// `mostOperations` operators.
PlainGraph readPlainGraph(const Journal& journal, std::size_t mostOperations);

}  // namespace shardlens
