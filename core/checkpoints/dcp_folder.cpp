#include "core/checkpoints/dcp_folder.h"

#include "core/base/pickle.h"
#include "core/checkpoints/input/bad_checkpoint.h"
#include "core/checkpoints/input/input_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

namespace shardlens {
namespace {

using Kind = PickleNode::Kind;

constexpr auto kMetadataFile = ".metadata";
constexpr std::uint64_t kMostMetadata = std::uint64_t{1} << 30;  // bytes
constexpr std::size_t kMostDims = 64;
constexpr std::size_t kMostSlices = std::size_t{4} << 20;

// Names that the metadata of torch and of Megatron may contain.
bool isMetadataName(std::string_view name) {
  for (const std::string_view package :
       {"torch.distributed.checkpoint.", "torch.distributed._shard.",
        "megatron.core.dist_checkpointing."}) {
    if (name.starts_with(package)) return true;
  }
  for (const std::string_view one :
       {"torch.Size", "torch.serialization._get_layout", "builtins.getattr", "builtins.slice",
        "collections.OrderedDict", "collections.defaultdict", "builtins.dict", "builtins.list",
        "pathlib.PosixPath", "pathlib.WindowsPath", "pathlib.PurePosixPath",
        "pathlib._local.PosixPath"}) {
    if (name == one) return true;
  }
  return name.starts_with("torch.") && elementTypeOfTorch(name.substr(6)) != nullptr;
}

bool isOfClass(const PickleNode& node, std::string_view name) {
  const auto className = node.className();
  return className.size() > name.size() && className.ends_with(name) &&
         className[className.size() - name.size() - 1] == '.';
}

[[noreturn]] void refuseValue(const std::string& where, const PickleNode* got,
                              const std::string& expected) {
  throw BadCheckpoint(fmt::format("{}: {}: got {}, expected {}", kMetadataFile, where,
                                  got == nullptr ? "no value" : got->description(), expected));
}

// Reads a torch.Size, or a list of numbers.
Extents nodeExtents(const std::string& where, const PickleNode* node) {
  const PickleNode* list = node;
  if (node != nullptr && node->className() == "torch.Size" && node->parts[1]->parts.size() == 1) {
    list = node->parts[1]->parts[0];
  }
  if (list == nullptr || list->kind != Kind::List || list->parts.size() > kMostDims) {
    refuseValue(where, list, "a torch.Size of at most 64 dimensions");
  }
  Extents extents;
  for (const PickleNode* const part : list->parts) {
    if (part->kind != Kind::Int || part->number < 0)
      refuseValue(where, part, "a size of at least 0");
    extents.push_back(part->number);
  }
  return extents;
}

std::uint64_t countOf(const std::string& where, const PickleNode* node) {
  if (node == nullptr || node->kind != Kind::Int || node->number < 0) {
    refuseValue(where, node, "a number of bytes");
  }
  return static_cast<std::uint64_t>(node->number);
}

std::string_view nodeText(const std::string& where, const PickleNode* node) {
  if (node == nullptr || node->kind != Kind::Text) refuseValue(where, node, "a text");
  return node->text;
}

// Returns the rank in "__3_0.distcp".
std::optional<int> rankOfFile(std::string_view name) {
  if (!name.starts_with("__")) return std::nullopt;
  int rank = 0;
  const auto* const end = name.data() + name.size();
  const auto [at, failed] = std::from_chars(name.data() + 2, end, rank);
  if (failed != std::errc() || at == end || *at != '_') return std::nullopt;
  return rank;
}

// Where an item is stored.
struct StoragePlace {
  std::size_t file;
  std::uint64_t offset, bytes;
  bool isTransformed;
};

// Reads the metadata into a Checkpoint.
class MetadataReader {
 public:
  MetadataReader(const std::filesystem::path& folder, const PickleNode& root) : root_(root) {
    result_.path = result_.folder = folder;
    result_.format = "torch.distributed.checkpoint";
  }

  Checkpoint read() {
    if (!isOfClass(root_, "Metadata") && !isOfClass(root_, "MCoreMetadata")) {
      refuseValue("the whole", &root_,
                  "an object of torch.distributed.checkpoint.metadata.Metadata");
    }
    if (isOfClass(root_, "MCoreMetadata")) result_.format += " of Megatron (torch_dist)";
    readStorage();
    readItems();
    std::sort(result_.tensors.begin(), result_.tensors.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    std::sort(result_.objects.begin(), result_.objects.end());
    return std::move(result_);
  }

 private:
  using Key = std::pair<std::string_view, Extents>;

  const PickleNode& dictionary(const char* name) {
    const PickleNode* const found = root_.member(name);
    if (found == nullptr || found->kind != Kind::Dict) refuseValue(name, found, "a dictionary");
    return *found;
  }

  std::size_t fileIndex(std::string_view name) {
    const auto found = files_.find(name);
    if (found != files_.end()) return found->second;
    const std::filesystem::path relative(name);
    const bool leaves = std::any_of(relative.begin(), relative.end(),
                                    [](const auto& part) { return part == ".."; });
    if (name.empty() || relative.is_absolute() || leaves) {
      throw BadCheckpoint(
          fmt::format("{}: got the file '{}', expected one in the folder of the checkpoint",
                      kMetadataFile, name.substr(0, 200)));
    }
    CheckpointFile file{.name = std::string(name), .rank = rankOfFile(name)};
    std::error_code failed;
    const auto path = result_.folder / relative;
    file.isMissing = !std::filesystem::is_regular_file(path, failed);
    if (!file.isMissing) file.bytes = std::filesystem::file_size(path, failed);
    result_.files.push_back(std::move(file));
    return files_.emplace(name, result_.files.size() - 1).first->second;
  }

  void readStorage() {
    const PickleNode& storage = dictionary("storage_data");
    for (std::size_t i = 0; i + 1 < storage.parts.size(); i += 2) {
      const PickleNode& index = *storage.parts[i];
      const PickleNode& info = *storage.parts[i + 1];
      const auto name = nodeText("storage_data", index.member("fqn"));
      const std::string where = fmt::format("storage of '{}'", name.substr(0, 200));
      const PickleNode* const offset = index.member("offset");
      Key key{name, {}};
      if (offset != nullptr && !offset->isNone()) key.second = nodeExtents(where, offset);
      const PickleNode* const transforms = info.member("transform_descriptors");
      places_.insert_or_assign(
          std::move(key),
          StoragePlace{.file = fileIndex(nodeText(where, info.member("relative_path"))),
                       .offset = countOf(where, info.member("offset")),
                       .bytes = countOf(where, info.member("length")),
                       .isTransformed = transforms != nullptr && !transforms->parts.empty()});
    }
  }

  void readItems() {
    const PickleNode& items = dictionary("state_dict_metadata");
    for (std::size_t i = 0; i + 1 < items.parts.size(); i += 2) {
      const auto name = nodeText("state_dict_metadata", items.parts[i]);
      const PickleNode& item = *items.parts[i + 1];
      if (isOfClass(item, "BytesStorageMetadata")) {
        result_.objects.emplace_back(name);
        const auto found = places_.find(Key{name, {}});
        if (found == places_.end()) addProblem(name, std::nullopt, "no file contains it");
      } else if (isOfClass(item, "TensorStorageMetadata")) {
        readTensor(name, item);
      } else {
        refuseValue(std::string(name.substr(0, 200)), &item,
                    "an object of TensorStorageMetadata or BytesStorageMetadata");
      }
    }
  }

  const ElementType* typeOf(const std::string& where, const PickleNode& item) {
    const PickleNode* type = nullptr;
    if (const PickleNode* const properties = item.member("properties");
        properties != nullptr && properties->parts.size() > 2) {
      const PickleNode& state = *properties->parts[2];
      type =
          state.kind == Kind::List && !state.parts.empty() ? state.parts[0] : state.member("dtype");
    }
    if (type == nullptr || type->kind != Kind::Global || !type->text.starts_with("torch.")) {
      refuseValue(where, type, "a dtype of torch");
    }
    const ElementType* const found = elementTypeOfTorch(type->text.substr(6));
    if (found == nullptr) refuseValue(where, type, "one of " + elementTypeNames());
    return found;
  }

  void readTensor(std::string_view name, const PickleNode& item) {
    const std::string where = fmt::format("tensor '{}'", name.substr(0, 200));
    CheckpointTensor tensor{.name = std::string(name),
                            .type = typeOf(where, item),
                            .shape = nodeExtents(where, item.member("size")),
                            .slices = {}};
    if (!elementsOf(tensor.shape)) {
      throw BadCheckpoint(fmt::format("{}: {}: got the shape {}, expected at most 2^56 elements",
                                      kMetadataFile, where, extentsText(tensor.shape)));
    }
    const PickleNode* const chunks = item.member("chunks");
    if (chunks == nullptr || chunks->kind != Kind::List)
      refuseValue(where, chunks, "a list of chunks");
    slices_ += chunks->parts.size();
    if (slices_ > kMostSlices) refuseValue(where, chunks, "at most 4 million chunks in all");
    for (const PickleNode* const chunk : chunks->parts) {
      addSlice(tensor, {nodeExtents(where, chunk->member("offsets")),
                        nodeExtents(where, chunk->member("sizes"))});
    }
    result_.tensors.push_back(std::move(tensor));
  }

  void addSlice(CheckpointTensor& tensor, Box box) {
    if (!isWithin(box, tensor.shape)) {
      addProblem(tensor.name, box,
                 "the metadata places this slice outside of the shape " + extentsText(tensor.shape),
                 "outside");
      return;
    }
    if (volume(box) == 0) return;
    const auto found = places_.find(Key{tensor.name, box.offsets});
    if (found == places_.end()) {
      addProblem(tensor.name, box, "the metadata lists this slice, but no file contains it");
      return;
    }
    const StoragePlace& place = found->second;
    if (place.isTransformed) {
      throw BadCheckpoint(
          fmt::format("{}: tensor '{}': got bytes that an extension of torch transformed "
                      "(for example compressed), expected plain bytes",
                      kMetadataFile, tensor.name));
    }
    tensor.slices.push_back({.box = std::move(box),
                             .file = place.file,
                             .offset = place.offset,
                             .bytes = place.bytes,
                             .encoding = Slice::Encoding::TorchSave});
  }

  void addProblem(std::string_view name, std::optional<Box> box, const std::string& what,
                  const char* kind = "missing") {
    result_.addProblem({.kind = kind,
                        .tensor = std::string(name),
                        .sentence = fmt::format("{}{}: {}", name, box ? boxText(*box) : "", what),
                        .where = box});
  }

  const PickleNode& root_;
  Checkpoint result_;
  std::map<std::string, std::size_t, std::less<>> files_;
  std::map<Key, StoragePlace> places_;
  std::size_t slices_ = 0;
};

}  // namespace

bool isDcpFolder(const std::filesystem::path& folder) {
  std::error_code failed;
  return std::filesystem::exists(folder / kMetadataFile, failed);
}

Checkpoint readDcpFolder(const std::filesystem::path& folder) {
  const InputFile file(folder / kMetadataFile);
  if (file.size() > kMostMetadata) {
    throw BadCheckpoint(
        fmt::format("{}: got {} bytes, expected at most 1 GiB", kMetadataFile, file.size()));
  }
  try {
    const Pickle pickle(file.text(0, file.size()), kMetadataFile, {.allowed = isMetadataName});
    return MetadataReader(folder, pickle.root()).read();
  } catch (const BadPickle& bad) {
    throw BadCheckpoint(bad.what());
  }
}

}  // namespace shardlens
