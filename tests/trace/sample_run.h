#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/journal/recorder.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/support/scratch_folder.h"

#include <string>
#include <vector>

namespace shardlens {

template <class T>
ValueRecord valueOf(TensorId tensor, int rank, Shape shape, const std::vector<T>& elements) {
  const auto* first = reinterpret_cast<const std::byte*>(elements.data());
  ValueRecord value;
  value.tensor = tensor;
  value.rank = rank;
  value.shape = std::move(shape);
  value.data =
      std::make_shared<const std::vector<std::byte>>(first, first + elements.size() * sizeof(T));
  return value;
}

inline void tellValue(Recorder& recorder, const ValueRecord& value) {
  recorder.value(value, *value.data);
}

// Two look-ups of the same ids in a row-wise table on two ranks, masked step by step: they share
// a mask buffer, the first is reduced, the second refused. As the engine would record it.
void recordSample(Recorder& recorder);

// Many operators with as many results and cache entries, over several blocks and keyframes.
void recordLong(Recorder& recorder, int operators);

// So many events of what changes a state, whether or not an engine would do so: masks, look-ups,
// evictions, results and errors of few tensors, buffers and entries. The same for the same seed.
void recordAnything(Recorder& recorder, unsigned seed, int events);

// One tensor of 100 elements on rank 0, with its values: more than are shown of a shard.
void recordLongShard(Journal& journal);

// As process 0 of four ranks' tensors: w on all of them, u on ranks 0 and 3 alone; ranks 0 and 1
// are hosted, and rank 0's values are there.
void recordHostedPart(Journal& journal);

// To a journal that is written by hand.
void addTensor(Journal& journal, const char* name, const SpecRecord& spec);

// All that two journals of the same recording must have alike.
void expectSame(const Journal& left, const Journal& right);

}  // namespace shardlens
