#include "ui/text/program.h"

#include "ui/text/format.h"

#include <array>
#include <string>

namespace shardlens {
namespace {

struct CachedProgram {
  std::string text;
  std::size_t tensors = 0;
  std::shared_ptr<const Program> program = std::make_shared<const Program>();
};

// Returns the number of dimensions of each recorded tensor with a name.
std::map<QString, std::size_t> recordedDimensions(const Journal& journal) {
  std::map<QString, std::size_t> dimensions;
  for (TensorId id = 1; id <= journal.tensors(); ++id) {
    const TensorRecord tensor = journal.tensor(id);
    if (!tensor.name.empty()) dimensions.emplace(toQString(tensor.name), tensor.shape.size());
  }
  return dimensions;
}

}  // namespace

std::shared_ptr<const Program> programOf(const Journal& journal, view::Notation notation) {
  thread_local std::array<CachedProgram, 3> caches;
  CachedProgram& cache = caches.at(static_cast<std::size_t>(notation));
  const std::string_view text = journal.meta("scenario");
  const bool readsTensors = notation == view::Notation::PartitionSpec && !text.empty();
  const std::size_t tensors = readsTensors ? journal.tensors() : 0;
  if (text == cache.text && tensors == cache.tensors) {
    return cache.program;
  }
  Program read{wholeText(text), {}, {}};
  read.scenario = parsedScenario(read.text);
  read.lines = readableProgram(
      read.scenario,
      {notation, readsTensors ? recordedDimensions(journal) : std::map<QString, std::size_t>()});
  const bool isSame = text == cache.text && read.lines == cache.program->lines;
  cache.text = text;
  cache.tensors = tensors;
  if (!isSame) {
    cache.program = std::make_shared<const Program>(std::move(read));
  }
  return cache.program;
}

}  // namespace shardlens
