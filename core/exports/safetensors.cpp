#include "core/exports/safetensors.h"

#include "core/base/json_text.h"
#include "core/exports/step_events.h"
#include "core/model/spec.h"
#include "core/model/step_number.h"
#include "core/view/words/names.h"

#include <fmt/core.h>

#include <array>
#include <ostream>
#include <set>

namespace shardlens {
namespace {

// Dtype names of the format; null if it has no such type.
constexpr std::array<const char*, kDTypes> kNames = {"F16", "BF16", "F32", "F64",  "U8",  "I8",
                                                     "I16", "I32",  "I64", "BOOL", "C64", nullptr};

const char* nameOf(DType dtype) { return kNames.at(static_cast<std::size_t>(dtype)); }

struct NamedShard {
  std::string name;
  DType dtype;
  ValueRecord value;
  std::int64_t bytes() const { return elementCount(value.shape) * dtypeSize(dtype); }
};

struct StepShards {
  std::vector<NamedShard> whole = {};
  std::vector<std::string> leftOut = {};
  std::string whyNone = "no values of its tensors were captured";
  nlohmann::ordered_json metadata = {};
};

StepShards shardsOf(const Journal& journal, const StepEvents& events) {
  StepShards shards;
  std::set<std::string> names;
  StepTensors tensors = stepTensors(journal, events);
  tensors.read.insert(tensors.read.end(), tensors.made.begin(), tensors.made.end());
  for (const TensorId id : tensors.read) {
    const TensorRecord tensor = journal.tensor(id);
    std::string name = view::tensorName(journal, id);
    if (!names.insert(name).second) name += fmt::format("#{}", id);
    shards.metadata[name] = view::tensorText(tensor) + toText(tensor.placements);
    for (const int rank : journal.ranksOf(id)) {
      auto value = journal.value(id, rank, events.last);
      if (!value) continue;
      NamedShard shard{fmt::format("rank{}/{}", rank, name), tensor.dtype, std::move(*value)};
      if (nameOf(tensor.dtype) == nullptr) {
        shards.whyNone = fmt::format("the format has no {}", dtypeName(tensor.dtype));
        shards.leftOut.push_back(shard.name + ": " + shards.whyNone);
      } else if (shard.value.level == CaptureLevel::All) {
        shards.whole.push_back(std::move(shard));
      } else {
        shards.whyNone = "only statistics of its tensors were captured";
        shards.leftOut.push_back(shard.name);
      }
    }
  }
  return shards;
}

std::string headerOf(const Journal& journal, const StepEvents& events, const StepShards& shards) {
  nlohmann::ordered_json header;
  header["__metadata__"] = shards.metadata;
  header["__metadata__"]["shardlens.step"] =
      fmt::format("{} {}", stepNumber(events.step), journal.name(journal.at(events.first)));
  std::int64_t end = 0;
  for (const NamedShard& shard : shards.whole) {
    const std::int64_t begin = end;
    end += shard.bytes();
    // Appends without a lookup, because the names are unique.
    auto& members = header.get_ref<nlohmann::ordered_json::object_t&>();
    members.emplace_back(shard.name, nlohmann::ordered_json{{"dtype", nameOf(shard.dtype)},
                                                            {"shape", shard.value.shape},
                                                            {"data_offsets", {begin, end}}});
  }
  std::string text = jsonText(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // aligns the elements to 8 bytes
  return text;
}

}  // namespace

Result<std::vector<std::string>> writeSafetensors(const Journal& journal, int step,
                                                  std::ostream& out) {
  const auto events = stepEvents(journal, step);
  if (!events) return tl::unexpected(events.error());
  StepShards shards = shardsOf(journal, *events);
  if (shards.whole.empty()) {
    return fail(fmt::format("step {}: {}", stepNumber(step), shards.whyNone));
  }
  const std::string header = headerOf(journal, *events, shards);
  for (std::size_t byte = 0, size = header.size(); byte < sizeof(std::uint64_t); ++byte) {
    out.put(static_cast<char>(size >> (8 * byte) & 0xFFU));
  }
  out << header;
  for (const NamedShard& shard : shards.whole) {
    const Content elements = journal.elements(shard.value);
    if (elements == nullptr || static_cast<std::int64_t>(elements->size()) != shard.bytes()) {
      return fail(shard.name + ": its elements cannot be read");
    }
    out.write(reinterpret_cast<const char*>(elements->data()),
              static_cast<std::streamsize>(elements->size()));
  }
  return std::move(shards.leftOut);
}

}  // namespace shardlens
