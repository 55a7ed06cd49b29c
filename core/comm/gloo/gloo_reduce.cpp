#include "core/comm/gloo/gloo_communicator.h"
#include "core/comm/gloo/message_batch.h"
#include "core/memory/reduce.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

// Up to this many received bytes, one round of whole buffers is faster than two rounds of pieces.
constexpr std::size_t kOneRound = std::size_t{256} << 10;

at::Tensor piece(const at::Tensor& flat, std::size_t pieces, std::size_t index) {
  const auto begin = [&](std::size_t i) {
    return flat.numel() * static_cast<std::int64_t>(i) / static_cast<std::int64_t>(pieces);
  };
  return flat.narrow(0, begin(index), begin(index + 1) - begin(index));
}

// Returns true if no earlier member of the group is hosted by this member's process. The first
// hosted member reduces for all members of its process.
bool isFirstHosted(const std::vector<int>& group, std::size_t member, int ranksPerProcess) {
  return std::none_of(
      group.begin(), group.begin() + static_cast<std::ptrdiff_t>(member),
      [&](int rank) { return rank / ranksPerProcess == group[member] / ranksPerProcess; });
}

Buffers piecesOf(const at::Tensor& flat, std::size_t count) {
  Buffers pieces;
  for (std::size_t i = 0; i < count; ++i) pieces.push_back(piece(flat, count, i));
  return pieces;
}

}  // namespace

void GlooCommunicator::reducePieces(const char* collective, const GroupSet& groups,
                                    const BufferLists& inputs, const Buffers& into,
                                    Reduction reduction) const {
  BufferLists addends(into.size());
  for (const auto& group : groups.groups) {
    for (std::size_t me = 0; me < group.size(); ++me) {
      if (!hosts(group[me])) continue;
      const std::size_t i = at(group[me]);
      for (const int sender : group) {
        // Inputs of ranks hosted here are read in place.
        addends[i].push_back(hosts(sender) ? inputs[at(sender)][me]
                                           : at::empty(into[i].sizes(), into[i].options()));
      }
    }
  }
  move(
      collective, groups, std::nullopt,
      [&](std::size_t i, std::size_t receiver) { return inputs[i][receiver]; },
      [&](std::size_t i, std::size_t sender) { return addends[i][sender]; });
  std::vector<Terms> reductions;
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (!addends[i].empty()) reductions.push_back({addends[i], {into[i]}});
  }
  reduceAll(reductions, reduction);
}

void GlooCommunicator::reduceScatter(const GroupSet& groups, const BufferLists& inputs,
                                     const Buffers& into, Reduction reduction) {
  reducePieces("reduce_scatter", groups, inputs, into, reduction);
}

void GlooCommunicator::reduceWhole(const GroupSet& groups, const Buffers& inputs,
                                   const Buffers& into, Reduction reduction) const {
  std::vector<const std::vector<int>*> groupOf(into.size());
  BufferLists addends(into.size()), outputs(into.size());
  for (const auto& group : groups.groups) {
    std::size_t first = into.size();
    for (const int rank : group) {
      if (!hosts(rank)) continue;
      groupOf[at(rank)] = &group;
      if (first == into.size()) first = at(rank);
      outputs[first].push_back(into[at(rank)]);
    }
    if (first == into.size()) continue;
    for (const int rank : group) {
      addends[first].push_back(hosts(rank) ? inputs[at(rank)]
                                           : at::empty(into[first].sizes(), into[first].options()));
    }
  }
  Packed packed(inputs);
  move(
      "all_reduce", groups, std::nullopt,
      [&](std::size_t i, std::size_t receiver) {
        if (!isFirstHosted(*groupOf[i], receiver, ranksPerProcess_)) return at::Tensor();
        return hosts((*groupOf[i])[receiver]) ? inputs[i] : packed(i, receiver);
      },
      [&](std::size_t i, std::size_t sender) {
        return addends[i].empty() ? at::Tensor() : addends[i][sender];
      });
  std::vector<Terms> reductions;
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (!addends[i].empty()) reductions.push_back({addends[i], outputs[i]});
  }
  reduceAll(reductions, reduction);
}

void GlooCommunicator::reduceInPieces(const GroupSet& groups, const Buffers& inputs,
                                      const Buffers& into, Reduction reduction) const {
  Buffers results(into.size()), mine(into.size());
  BufferLists addends(into.size()), pieces(into.size());
  for (const auto& group : groups.groups) {
    for (std::size_t me = 0; me < group.size(); ++me) {
      if (!hosts(group[me])) continue;
      const std::size_t i = at(group[me]);
      results[i] =
          into[i].is_contiguous() ? into[i] : at::empty(into[i].sizes(), into[i].options());
      addends[i] = piecesOf(inputs[i].contiguous().view({-1}), group.size());
      pieces[i] = piecesOf(results[i].view({-1}), group.size());
      mine[i] = pieces[i][me];
    }
  }
  reducePieces("all_reduce", groups, addends, mine, reduction);
  gather("all_reduce", groups, mine, pieces);
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (results[i].defined()) copyInto(into[i], results[i]);
  }
}

void GlooCommunicator::allReduce(const GroupSet& groups, const Buffers& inputs, const Buffers& into,
                                 Reduction reduction) {
  GroupSet whole = groups, inPieces = groups;
  whole.groups.clear();
  inPieces.groups.clear();
  for (const auto& group : groups.groups) {
    const auto mine = std::find_if(group.begin(), group.end(), [&](int r) { return hosts(r); });
    if (mine == group.end()) continue;
    const bool alone = std::all_of(group.begin(), group.end(), [&](int r) { return hosts(r); });
    const bool small = inputs[at(*mine)].nbytes() * group.size() <= kOneRound;
    (alone || small ? whole : inPieces).groups.push_back(group);
  }
  reduceWhole(whole, inputs, into, reduction);
  reduceInPieces(inPieces, inputs, into, reduction);
}

}  // namespace shardlens
