#include "core/checkpoints/checkpoint.h"

#include "core/checkpoints/dcp_folder.h"
#include "core/checkpoints/input/bad_checkpoint.h"
#include "core/checkpoints/safetensors_files.h"

#include <fmt/core.h>

#include <algorithm>

namespace shardlens {
namespace {

// Returns the name of a folder of Megatron's older format in `folder`, or "".
std::string megatronRankFolder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::string first;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("mp_rank_") && (first.empty() || name < first)) first = name;
  }
  return first;
}

Checkpoint readFolder(const std::filesystem::path& folder) {
  if (isDcpFolder(folder)) return readDcpFolder(folder);
  if (hasSafetensors(folder)) return readSafetensorsFolder(folder);
  if (const auto rank = megatronRankFolder(folder); !rank.empty()) {
    throw BadCheckpoint(
        fmt::format("{}: got {}, of Megatron's older format, expected its torch_dist format: the "
                    "files of the older "
                    "one are programs for Python (pickles), and do not state which slice of a "
                    "tensor a rank has. "
                    "Megatron converts them with --ckpt-convert-format torch_dist",
                    folder.string(), rank));
  }
  throw BadCheckpoint(
      folder.string() +
      ": got a folder without .metadata and *.safetensors, expected a checkpoint of "
      "torch.distributed.checkpoint, Megatron (torch_dist) or safetensors");
}

}  // namespace

const CheckpointTensor* Checkpoint::find(std::string_view name) const {
  const auto found = std::lower_bound(
      tensors.begin(), tensors.end(), name,
      [](const CheckpointTensor& tensor, std::string_view other) { return tensor.name < other; });
  return found != tensors.end() && found->name == name ? &*found : nullptr;
}

bool Checkpoint::hasErrors() const {
  return std::any_of(problems.begin(), problems.end(),
                     [](const CheckpointProblem& problem) { return !problem.isWarning; });
}

void Checkpoint::addProblem(CheckpointProblem problem) {
  constexpr std::size_t kMostProblems = 1000;
  if (problems.size() < kMostProblems) {
    problems.push_back(std::move(problem));
  } else if (problems.size() == kMostProblems) {
    problems.push_back({.kind = "more",
                        .tensor = {},
                        .sentence = "more problems are not listed",
                        .isWarning = problem.isWarning});
  } else {
    problems.back().isWarning &= problem.isWarning;
  }
}

Result<Checkpoint> openCheckpoint(const std::filesystem::path& path) {
  try {
    std::error_code failed;
    if (!std::filesystem::exists(path, failed)) return fail(path.string() + ": does not exist");
    Checkpoint checkpoint = std::filesystem::is_directory(path, failed) ? readFolder(path)
                            : path.filename() == ".metadata" ? readDcpFolder(path.parent_path())
                                                             : readSafetensorsFile(path);
    checkpoint.path = path;
    return checkpoint;
  } catch (const BadCheckpoint& bad) {
    const std::string message = bad.what();
    return fail(message.starts_with(path.string()) ? message : path.string() + ": " + message);
  }
}

}  // namespace shardlens
