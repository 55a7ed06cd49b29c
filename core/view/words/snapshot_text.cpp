#include "core/view/words/snapshot_text.h"

#include "core/base/text.h"
#include "core/model/byte_count.h"
#include "core/model/ranks_text.h"
#include "core/model/step_number.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/view/words/cache_lookup.h"
#include "core/view/words/event_words.h"
#include "core/view/words/placement_words.h"

#include <fmt/core.h>

#include <algorithm>

namespace shardlens::view {
namespace {

constexpr std::int64_t kShownElements = 64;

// Separates rows by bars: "0 1 2 | 3 4 5".
std::string elementsText(DType dtype, const Shape& shape, const Content& elements) {
  const auto count = static_cast<std::int64_t>(elements->size()) / dtypeSize(dtype);
  const std::int64_t row = shape.size() < 2 ? count : shape.back();
  std::string text;
  for (std::int64_t i = 0; i < std::min(count, kShownElements); ++i) {
    if (i != 0) text += row != 0 && i % row == 0 ? " | " : " ";
    text += elementText(dtype, elements->data(), i);
  }
  return count > kShownElements ? text + " ..." : text;
}

std::string statisticsText(const Statistics& statistics) {
  const auto number = [](double value) {
    return elementText(DType::Float64, reinterpret_cast<const std::byte*>(&value), 0);
  };
  return fmt::format("min {}, max {}, mean {}, zeros {}, nans {}", number(statistics.min),
                     number(statistics.max), number(statistics.mean), statistics.zeros,
                     statistics.nans);
}

// Returns a line for the ranks that another process recorded, and one for those outside the
// tensor's mesh.
std::string absentText(const Journal& journal, TensorId id) {
  const TensorRanks ranks(journal, id);
  std::vector<int> elsewhere, outside;
  for (const int rank : ranks.all()) {
    const auto where = ranks.of(rank);
    if (where == RankLocation::OtherProcess) elsewhere.push_back(rank);
    if (where == RankLocation::NotInMesh) outside.push_back(rank);
  }
  const auto line = [](const std::vector<int>& absent, const char* why) {
    if (absent.empty()) return std::string();
    return (absent.size() == 1 ? "    rank " : "    ranks ") + ranksText({absent}) + "  " + why;
  };
  return line(elsewhere, "in another process's recording\n") +
         line(outside, "not in the tensor's mesh\n");
}

std::string tensorText(const Journal& journal, const TensorState& state, EventId position,
                       Notation notation) {
  const TensorRecord tensor = journal.tensor(state.id);
  std::string text = "  " + tensor.name + "  " +
                     PlacementWords(journal, state.id, notation)
                         .placed(tensor.dtype, tensor.shape, tensor.placements);
  if (tensor.mesh) text += " on ranks " + ranksText(tensor.mesh->replicas());
  text += "  since event " + std::to_string(state.born);
  if (state.changed != state.born) text += ", changed at " + std::to_string(state.changed);
  if (state.buffer != 0) text += ", masked by buffer " + std::to_string(state.buffer);
  return text + "\n" + valuesText(journal, state.id, position);
}

std::string bufferText(const Journal& journal, const BufferState& state, EventId position) {
  std::string text = fmt::format("  buffer {}  refcount {}  held by {}\n", state.id, state.refcount,
                                 state.holders.empty() ? "none" : joined(state.holders));
  return state.mask == 0 ? text : text + valuesText(journal, state.mask, position);
}

std::string cacheText(const Journal& journal, std::string_view name, const CacheState& cache,
                      Notation notation) {
  std::string text = fmt::format("{} cache: hits {}, misses {}, entries {}\n", name, cache.hits,
                                 cache.misses, cache.entries.size());
  for (const auto& entry : cache.entries) {
    text += fmt::format("  {}  hits {}\n", placedKey(journal, entry.made, notation), entry.hits);
  }
  return text;
}

std::string eventText(const Journal& journal, EventId id, Notation notation) {
  const EventWords words = eventWords(journal, id, notation);
  return words.note.empty() ? words.title : words.title + "  " + words.note;
}

std::string headText(const Journal& journal, const Snapshot& snapshot, Notation notation) {
  std::string text = fmt::format("position {} of {}", snapshot.position, journal.size());
  if (snapshot.step >= 0) text += ", step " + std::to_string(stepNumber(snapshot.step));
  if (snapshot.line > 0) text += ", line " + std::to_string(snapshot.line);
  text += "\n";
  std::string indent = "  ";
  for (const EventId id : snapshot.open) {
    text += indent + eventText(journal, id, notation) + "\n";
    indent += "  ";
  }
  if (snapshot.position != 0)
    text += indent + eventText(journal, snapshot.position, notation) + "\n";
  return text;
}

}  // namespace

std::string valuesText(const Journal& journal, TensorId id, EventId position) {
  std::string text;
  for (const int rank : journal.ranksOf(id)) {
    const auto value = journal.value(id, rank, position);
    if (!value) continue;
    text += fmt::format("    rank {} {}  ", rank, toText(value->shape));
    const auto elements = journal.elements(*value);
    text += elements != nullptr ? elementsText(journal.tensor(id).dtype, value->shape, elements)
                                : statisticsText(value->statistics);
    text += "\n";
  }
  return text + absentText(journal, id);
}

std::string snapshotText(const Journal& journal, const Snapshot& snapshot, Notation notation) {
  std::string text = headText(journal, snapshot, notation);
  if (!snapshot.tensors.empty()) text += "tensors\n";
  for (const auto& tensor : snapshot.tensors) {
    text += tensorText(journal, tensor, snapshot.position, notation);
  }
  if (!snapshot.buffers.empty()) text += "mask buffers\n";
  for (const auto& buffer : snapshot.buffers) {
    text += bufferText(journal, buffer, snapshot.position);
  }
  text += cacheText(journal, "strategy", snapshot.strategyCache, notation);
  text += cacheText(journal, "plan", snapshot.planCache, notation);
  text += byteCountText(snapshot.bytesMoved) + " sent\n";
  if (!snapshot.error.empty()) text += "error: " + snapshot.error + "\n";
  return text;
}

}  // namespace shardlens::view
