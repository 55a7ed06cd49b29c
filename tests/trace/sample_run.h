#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/recorder/recorder.h"
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

// Records the value with its elements; `data` must be set.
inline void recordValue(Recorder& recorder, const ValueRecord& value) {
  recorder.value(value, *value.data);
}

// Records, as the engine does, two embeddings of the same ids with a row-wise sharded table on two
// ranks, with stepwise masking. They share a mask buffer. The first result is reduced; the
// reduction of the second is refused.
void recordSample(Recorder& recorder);

// Records this number of operators, with as many results and cache entries, over several blocks.
void recordLong(Recorder& recorder, int operators);

// Records `events` random events that change the state: masks, cache lookups, evictions, results
// and errors, of few tensors, buffers and entries. An engine may never record such a sequence. The
// same seed gives the same events.
void recordRandom(Recorder& recorder, unsigned seed, int events);

// Records a tensor of 100 elements on rank 0 with its values: more elements than views show.
void recordLongShard(Journal& journal);

// Records tensors on a mesh of four ranks, as the process that hosts ranks 0 and 1: w on all ranks,
// u on ranks 0 and 3. Only rank 0 has values.
void recordHostedPart(Journal& journal);

// Adds a tensor to a journal that is filled without a recorder.
void addTensor(Journal& journal, const char* name, const Spec& spec);

// Expects equal events, tensors, values and states in two journals of the same recording.
void expectSame(const Journal& left, const Journal& right);

}  // namespace shardlens
