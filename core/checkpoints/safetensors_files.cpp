#include "core/checkpoints/safetensors_files.h"

#include "core/base/json_text.h"
#include "core/base/little_endian.h"
#include "core/checkpoints/input/bad_checkpoint.h"
#include "core/checkpoints/input/input_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace shardlens {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostHeader = 100'000'000;  // as the format states
constexpr std::uint64_t kMostIndex = std::uint64_t{256} << 20;
constexpr std::size_t kMostDimensions = 64;
constexpr auto kIndexEnd = ".safetensors.index.json";
constexpr auto kFileEnd = ".safetensors";

// Returns the names of the regular files with this ending, sorted.
std::vector<std::string> namesIn(const std::filesystem::path& folder, std::string_view ending) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    std::string name = entry.path().filename().string();
    if (name.ends_with(ending) && entry.is_regular_file(failed)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

[[noreturn]] void refuseEntry(const std::string& file, const std::string& name,
                              const std::string& got, const std::string& expected) {
  throw BadCheckpoint(
      fmt::format("{}: '{}': got {}, expected {}", file, name.substr(0, 200), got, expected));
}

std::optional<Extents> extentsOf(const json& list) {
  if (!list.is_array() || list.size() > kMostDimensions) return std::nullopt;
  Extents extents;
  for (const auto& number : list) {
    if (!number.is_number_unsigned() || number.get<std::uint64_t>() > INT64_MAX)
      return std::nullopt;
    extents.push_back(number.get<std::int64_t>());
  }
  return extents;
}

json headerOf(const InputFile& file, std::uint64_t& elementsBegin) {
  constexpr std::uint64_t kSizeBytes = 8;
  if (file.size() < kSizeBytes) {
    throw BadCheckpoint(fmt::format("{}: got {} bytes, expected the size of a safetensors header",
                                    file.name(), file.size()));
  }
  const std::uint64_t size = littleEndian(file.text(0, kSizeBytes));
  if (size > kMostHeader || size > file.size() - kSizeBytes) {
    throw BadCheckpoint(
        fmt::format("{}: got a header of {} bytes in a file of {}, expected at most 100 MB "
                    "within the file",
                    file.name(), size, file.size()));
  }
  elementsBegin = kSizeBytes + size;
  json header = parsedJson(file.text(kSizeBytes, size));
  if (!header.is_object())
    throw BadCheckpoint(file.name() +
                        ": got no JSON object, expected the header of a safetensors file");
  return header;
}

// Returns the first index of each slice, which torch.distributed.checkpoint stores in a text.
std::map<std::string, Extents> offsetsIn(const std::string& file, const json& header) {
  std::map<std::string, Extents> offsets;
  const auto metadata = header.find("__metadata__");
  if (metadata == header.end()) return offsets;
  const json sharding = parsedJson(textOf(*metadata, "DCP_SHARDING_INFO"));
  if (!sharding.is_object()) return offsets;
  for (const auto& [name, entry] : sharding.items()) {
    if (!entry.is_object() || !entry.contains("saved_offsets")) continue;
    const auto found = extentsOf(entry["saved_offsets"]);
    if (!found)
      refuseEntry(file, name, "saved_offsets " + shown(entry["saved_offsets"]),
                  "a list of numbers");
    offsets[name] = *found;
  }
  return offsets;
}

// Collects tensors from the headers of files.
class HeaderReader {
 public:
  explicit HeaderReader(const std::filesystem::path& folder) {
    result_.folder = folder;
    result_.format = "safetensors";
  }

  // Reads a header. Returns the names of the tensors in the file.
  std::set<std::string> add(const std::string& name) {
    const InputFile file(result_.folder / name);
    std::uint64_t begin = 0;
    const json header = headerOf(file, begin);
    const auto offsets = offsetsIn(name, header);
    result_.files.push_back({.name = name, .bytes = file.size()});
    std::set<std::string> names;
    for (const auto& [tensor, entry] : header.items()) {
      if (tensor == "__metadata__") continue;
      names.insert(tensor);
      const auto found = offsets.find(tensor);
      addSlice(tensor, entry, begin, found == offsets.end() ? nullptr : &found->second);
    }
    return names;
  }

  void addMissing(const std::string& name, const std::set<std::string>& tensors) {
    result_.files.push_back({.name = name, .isMissing = true});
    for (const auto& tensor : tensors) {
      report("missing", tensor, name, "is missing, and the index lists it there");
    }
  }
  void report(const char* kind, const std::string& tensor, const std::string& file,
              const char* what) {
    result_.addProblem({.kind = kind,
                        .tensor = tensor,
                        .sentence = fmt::format("{}: {} {}", tensor, file, what),
                        .files = {file},
                        .isWarning = kind == std::string_view("unlisted")});
  }

  Checkpoint finish() {
    for (auto& [name, tensor] : tensors_) {
      if (!elementsOf(tensor.shape)) {
        refuseEntry("safetensors", name, "the shape " + extentsText(tensor.shape),
                    "at most 2^56 elements");
      }
      std::erase_if(tensor.slices, [](const Slice& slice) { return volume(slice.box) == 0; });
      result_.tensors.push_back(std::move(tensor));
    }
    return std::move(result_);
  }

 private:
  void addSlice(const std::string& name, const json& entry, std::uint64_t begin,
                const Extents* offsets) {
    const std::string& file = result_.files.back().name;
    const std::string dtype = textOf(entry, "dtype");
    const ElementType* const type = elementTypeOfSafetensors(dtype);
    if (type == nullptr)
      refuseEntry(file, name, "the dtype '" + dtype.substr(0, 40) + "'",
                  "F32, BF16 or another one of the format");
    const auto sizes = entry.contains("shape") ? extentsOf(entry["shape"]) : std::nullopt;
    const auto range =
        entry.contains("data_offsets") ? extentsOf(entry["data_offsets"]) : std::nullopt;
    const auto count = sizes ? elementsOf(*sizes) : std::nullopt;
    if (!count) refuseEntry(file, name, "no shape, or more than 2^56 elements", "a shape");
    if (!range || range->size() != 2 || range->at(0) > range->at(1) ||
        range->at(1) - range->at(0) != *count * type->size) {
      refuseEntry(file, name, "data_offsets " + (range ? extentsText(*range) : "of another form"),
                  fmt::format("a range of {} bytes", *count * type->size));
    }
    Slice slice{
        .box = {offsets == nullptr ? Extents(sizes->size(), 0) : *offsets, *sizes},
        .file = result_.files.size() - 1,
        .offset = begin + static_cast<std::uint64_t>(range->at(0)),
        .bytes = static_cast<std::uint64_t>(*count) * static_cast<std::uint64_t>(type->size)};
    grow(name, type, std::move(slice), offsets != nullptr);
  }

  // Adds a slice to its tensor, and extends the shape if the file states the slice's offsets.
  void grow(const std::string& name, const ElementType* type, Slice slice, bool isPart) {
    auto [found, isNew] = tensors_.try_emplace(
        name, CheckpointTensor{.name = name, .type = type, .shape = {}, .slices = {}});
    CheckpointTensor& tensor = found->second;
    Extents end = slice.box.sizes;
    if (slice.box.offsets.size() != end.size())
      refuseEntry(result_.files.back().name, name, "offsets of another number of dimensions",
                  extentsText(end));
    for (std::size_t dim = 0; dim < end.size(); ++dim) {
      if (__builtin_add_overflow(end[dim], slice.box.offsets[dim], &end[dim])) {
        refuseEntry(result_.files.back().name, name, "offsets beyond 2^63", "smaller ones");
      }
    }
    if (isNew) tensor.shape = end;
    const bool fits =
        type == tensor.type && end.size() == tensor.shape.size() && (isPart || end == tensor.shape);
    if (!fits) {
      const std::string& file = result_.files.back().name;
      result_.addProblem(
          {.kind = "shape",
           .tensor = name,
           .sentence = fmt::format("{}: {} has it as {} of {}, another file as {} of {}", name,
                                   file, extentsText(end), type->name, extentsText(tensor.shape),
                                   tensor.type->name),
           .where = slice.box,
           .files = {file}});
      return;
    }
    for (std::size_t dim = 0; dim < end.size(); ++dim) {
      tensor.shape[dim] = std::max(tensor.shape[dim], end[dim]);
    }
    tensor.slices.push_back(std::move(slice));
  }

  Checkpoint result_;
  std::map<std::string, CheckpointTensor> tensors_;
};

// Reads the files of an index, and compares what each contains with what the index lists.
Checkpoint readIndexed(const std::filesystem::path& folder, const std::string& indexName) {
  const InputFile file(folder / indexName);
  if (file.size() > kMostIndex)
    throw BadCheckpoint(indexName + ": got more than 256 MiB, expected an index");
  const json index = parsedJson(file.text(0, file.size()));
  const auto map = index.is_object() ? index.find("weight_map") : index.end();
  if (!index.is_object() || map == index.end() || !map->is_object()) {
    throw BadCheckpoint(indexName + ": got no \"weight_map\", expected an object with one");
  }
  std::map<std::string, std::set<std::string>> listed;
  for (const auto& [tensor, name] : map->items()) {
    if (!name.is_string()) refuseEntry(indexName, tensor, shown(name), "the name of a file");
    const auto& text = name.get_ref<const std::string&>();
    if (text.empty() || text == ".." || text.find('/') != std::string::npos) {
      refuseEntry(indexName, tensor, "the file '" + text.substr(0, 200) + "'",
                  "one in this folder");
    }
    listed[text].insert(tensor);
  }
  HeaderReader reader(folder);
  for (const auto& [name, tensors] : listed) {
    std::error_code failed;
    if (!std::filesystem::exists(folder / name, failed)) {
      reader.addMissing(name, tensors);
      continue;
    }
    const auto found = reader.add(name);
    for (const auto& tensor : tensors) {
      if (found.contains(tensor)) continue;
      reader.report("missing", tensor, name, "does not contain it, but the index lists it there");
    }
    for (const auto& tensor : found) {
      if (tensors.contains(tensor)) continue;
      reader.report("unlisted", tensor, name, "contains it, but the index does not list it there");
    }
  }
  return reader.finish();
}

}  // namespace

bool hasSafetensors(const std::filesystem::path& folder) {
  return !namesIn(folder, kIndexEnd).empty() || !namesIn(folder, kFileEnd).empty();
}

Checkpoint readSafetensorsFile(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  if (name.ends_with(kIndexEnd)) return readIndexed(file.parent_path(), name);
  HeaderReader reader(file.parent_path());
  reader.add(name);
  return reader.finish();
}

Checkpoint readSafetensorsFolder(const std::filesystem::path& folder) {
  const auto indexes = namesIn(folder, kIndexEnd);
  if (indexes.size() > 1) {
    throw BadCheckpoint(fmt::format("{}: got {} and {}, expected one index; give its path",
                                    folder.string(), indexes[0], indexes[1]));
  }
  if (!indexes.empty()) return readIndexed(folder, indexes.front());
  HeaderReader reader(folder);
  for (const auto& name : namesIn(folder, kFileEnd)) reader.add(name);
  return reader.finish();
}

}  // namespace shardlens
