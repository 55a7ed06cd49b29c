#pragma once

#include "core/model/spec.h"
#include "core/trace/journal/journal.h"
#include "core/trace/records/plain_record.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// The contents of a plain tensor between two writes, on all ranks.
struct PlainVariable {
  TensorMeta meta = {};  // of one rank's local tensor
  EventId event = 0;     // the Result that made it, or the event that first used it
  // A leaf is not the result of a recorded operator. A parameter is a leaf.
  bool isLeaf = false;
  bool isParameter = false;
  // Computed from the arguments of operators alone, as zeros() is: the same on all ranks. It may
  // stand for a shard as well, as a part of zeros.
  bool isConstant = false;
};

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
  // follow each other; -1 if unknown.
  int dim = 0;
  bool isOnAllRanks = true;
  bool isPart = false;  // it rearranges the parts of a collective, which takes its place
};

// A parameter, buffer, gradient or module output at one event.
struct PlainOccurrence {
  PlainRole role = PlainRole::None;
  std::string name;  // "layers.0.w", "layers.0.w.grad", "layers.0"
  EventId event = 0;
  TensorId tensor = 0;
  std::size_t variable = 0;
};

// What the program stated of a tensor.
struct PlainClaim {
  EventId event = 0;
  TensorId tensor = 0;
  std::size_t variable = 0;
  std::string axis;
  Placement placement;
};

// The operators on plain tensors of a recording, as a graph of the tensors' contents.
struct PlainGraph {
  std::vector<PlainVariable> variables;
  std::vector<PlainOperation> operations;
  std::vector<PlainOccurrence> occurrences;
  std::vector<PlainClaim> claims;
  // The parameter of a gradient: pairs of variables (parameter, gradient).
  std::vector<std::pair<std::size_t, std::size_t>> gradients;
  bool isCut = false;  // the recording has more operators than the graph
};

// Reads the graph of a journal. A parameter is one variable in all steps. Reads at most
// `mostOperations` operators.
PlainGraph readPlainGraph(const Journal& journal, std::size_t mostOperations);

}  // namespace shardlens
