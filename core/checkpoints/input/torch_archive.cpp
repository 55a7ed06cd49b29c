#include "core/checkpoints/input/torch_archive.h"

#include "core/base/pickle.h"
#include "core/checkpoints/input/bad_checkpoint.h"
#include "core/checkpoints/input/zip_archive.h"

#include <fmt/core.h>

#include <algorithm>

namespace shardlens {
namespace {

using Kind = PickleNode::Kind;

constexpr std::uint64_t kMostDescription = std::uint64_t{1} << 20;

// Names that the description of a tensor may contain.
bool isTensorName(std::string_view name) {
  if (name == "torch._utils._rebuild_tensor_v2" || name == "torch._utils._rebuild_tensor_v3" ||
      name == "torch._utils._rebuild_parameter" || name == "collections.OrderedDict" ||
      name == "torch.Size") {
    return true;
  }
  if (!name.starts_with("torch.")) return false;
  return name.ends_with("Storage") || elementTypeOfTorch(name.substr(6)) != nullptr;
}

// Reads the arguments of torch's function that makes a tensor.
class TensorReader {
 public:
  TensorReader(const InputFile& file, const std::vector<ArchiveEntry>& entries)
      : file_(file), entries_(entries) {}

  StoredTensor read(const PickleNode& root) const {
    const PickleNode* tensor = &root;
    if (tensor->className() == "torch._utils._rebuild_parameter" &&
        !tensor->parts[1]->parts.empty()) {
      tensor = tensor->parts[1]->parts[0];
    }
    const bool isTyped = tensor->className() == "torch._utils._rebuild_tensor_v2";
    if (!isTyped && tensor->className() != "torch._utils._rebuild_tensor_v3") {
      refuse(tensor->description(), "a tensor");
    }
    const auto& arguments = tensor->parts[1]->parts;
    if (arguments.size() < (isTyped ? 4 : 7)) refuse("fewer arguments", "those of a tensor");
    if (isTyped && arguments.size() > 6 && !arguments[6]->parts.empty()) {
      refuse("a conjugate or negative view", "a tensor with its own elements");
    }
    const ArchiveEntry& storage = storageOf(*arguments[0]);
    StoredTensor stored{.type = isTyped ? typeOfStorage(*arguments[0]) : typeOf(*arguments[6]),
                        .sizes = extentsOf(*arguments[2]),
                        .strides = extentsOf(*arguments[3])};
    if (stored.sizes.size() != stored.strides.size() || !elementsOf(stored.sizes)) {
      refuse(fmt::format("sizes {} and strides {}", extentsText(stored.sizes),
                         extentsText(stored.strides)),
             "those of a tensor");
    }
    place(stored, storage, *arguments[1]);
    return stored;
  }

 private:
  [[noreturn]] void refuse(const std::string& got, const std::string& expected) const {
    throw BadCheckpoint(fmt::format("{}: an archive of torch.save(): got {}, expected {}",
                                    file_.name(), got, expected));
  }

  const ArchiveEntry& entry(const std::string& name) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const ArchiveEntry& each) { return each.name == name; });
    if (found == entries_.end()) refuse("no '" + name + "'", "one");
    return *found;
  }

  // Returns the id of a storage: ("storage", class, key, device, size).
  const std::vector<const PickleNode*>& idOf(const PickleNode& node) const {
    if (node.kind != Kind::Stored || node.parts[0]->parts.size() < 5 ||
        node.parts[0]->parts[1]->kind != Kind::Global ||
        node.parts[0]->parts[2]->kind != Kind::Text) {
      refuse(node.description(), "a storage");
    }
    return node.parts[0]->parts;
  }
  const ArchiveEntry& storageOf(const PickleNode& node) const {
    return entry("data/" + std::string(idOf(node)[2]->text.substr(0, 100)));
  }
  const ElementType* typeOfStorage(const PickleNode& node) const {
    const auto name = idOf(node)[1]->text;
    const ElementType* const type = elementTypeOfStorage(name.substr(name.rfind('.') + 1));
    if (type == nullptr) refuse(std::string(name), "a storage of a known type");
    return type;
  }
  const ElementType* typeOf(const PickleNode& node) const {
    const ElementType* const type = node.kind == Kind::Global && node.text.starts_with("torch.")
                                        ? elementTypeOfTorch(node.text.substr(6))
                                        : nullptr;
    if (type == nullptr) refuse(node.description(), "one of " + elementTypeNames());
    return type;
  }
  Extents extentsOf(const PickleNode& node) const {
    constexpr std::size_t kMostDims = 64;
    if (node.kind != Kind::List || node.parts.size() > kMostDims) {
      refuse(node.description(), "sizes of at most 64 dimensions");
    }
    Extents extents;
    for (const PickleNode* const part : node.parts) {
      if (part->kind != Kind::Int || part->number < 0) refuse(part->description(), "a size");
      extents.push_back(part->number);
    }
    return extents;
  }

  // Sets the first byte. Throws if an element is outside of the storage.
  void place(StoredTensor& stored, const ArchiveEntry& storage, const PickleNode& offset) const {
    if (offset.kind != Kind::Int || offset.number < 0) refuse(offset.description(), "an offset");
    std::int64_t end = offset.number;  // exclusive, in elements
    bool isTooLarge = false;
    if (*elementsOf(stored.sizes) > 0) {
      for (std::size_t dim = 0; dim < stored.sizes.size(); ++dim) {
        std::int64_t distance = 0;
        isTooLarge |=
            __builtin_mul_overflow(stored.sizes[dim] - 1, stored.strides[dim], &distance) ||
            __builtin_add_overflow(end, distance, &end);
      }
      isTooLarge |= __builtin_add_overflow(end, 1, &end);
    }
    const auto capacity = storage.bytes / static_cast<std::uint64_t>(stored.type->size);
    if (isTooLarge || static_cast<std::uint64_t>(end) > capacity) {
      refuse(fmt::format("a tensor {} of {} beyond the end of its {} bytes",
                         extentsText(stored.sizes), stored.type->name, storage.bytes),
             "one within them");
    }
    stored.begin = storage.begin + static_cast<std::uint64_t>(offset.number * stored.type->size);
  }

  const InputFile& file_;
  const std::vector<ArchiveEntry>& entries_;
};

}  // namespace

StoredTensor readTorchArchive(const InputFile& file, std::uint64_t offset, std::uint64_t bytes) {
  const auto entries = zipEntries(file, offset, bytes);
  const ArchiveEntry* description = nullptr;
  for (const ArchiveEntry& entry : entries) {
    if (entry.name == "data.pkl") description = &entry;
    if (entry.name == "byteorder" &&
        file.text(entry.begin, std::min<std::uint64_t>(entry.bytes, 6)) != "little") {
      throw BadCheckpoint(file.name() + ": got another byte order, expected little-endian");
    }
  }
  if (description == nullptr || description->bytes > kMostDescription) {
    throw BadCheckpoint(
        fmt::format("{}: byte {}: got an archive without data.pkl, or a large one, expected "
                    "one of torch.save()",
                    file.name(), offset));
  }
  try {
    const Pickle pickle(file.text(description->begin, description->bytes), file.name(),
                        {.allowed = isTensorName});
    return TensorReader(file, entries).read(pickle.root());
  } catch (const BadPickle& bad) {
    throw BadCheckpoint(bad.what());
  }
}

}  // namespace shardlens
