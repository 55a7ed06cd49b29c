#include "core/loading/stored_names.h"

namespace shardlens {
namespace {

// Calls visit(ending) for what follows each dot of the last kMostEnding + 1 characters.
template <class Visit>
void forEachEnding(std::string_view name, const Visit& visit) {
  if (name.size() > StoredNames::kMostEnding + 1) {
    name = name.substr(name.size() - StoredNames::kMostEnding - 1);
  }
  for (auto dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    visit(name.substr(dot + 1));
  }
}

}  // namespace

StoredNames::StoredNames(const Checkpoint& checkpoint) : checkpoint_(checkpoint) {
  for (const auto& tensor : checkpoint.tensors) {
    forEachEnding(tensor.name, [&](std::string_view ending) {
      Ending& known = endings_[ending];
      if (known.count++ == 0) known.first = &tensor;
    });
  }
}

const CheckpointTensor* StoredNames::find(std::string_view name) const {
  if (const auto* exact = checkpoint_.find(name)) return exact;
  Ending found;
  if (const auto longer = endings_.find(name); longer != endings_.end()) found = longer->second;
  forEachEnding(name, [&](std::string_view ending) {
    const auto* const shorter = checkpoint_.find(ending);
    if (shorter == nullptr) return;
    found.first = shorter;
    ++found.count;
  });
  return found.count == 1 ? found.first : nullptr;
}

}  // namespace shardlens
