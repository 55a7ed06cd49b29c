#include "app/cli/recording_answer.h"

#include "app/cli/output.h"
#include "core/model/rank_selector.h"
#include "core/trace/journal/tensor_ranks.h"

#include <utility>

namespace shardlens::cli {

Result<std::unique_ptr<TraceReader>> openWhole(const std::vector<std::filesystem::path>& files) {
  auto reader = TraceReader::open(files);
  if (reader) {
    while ((*reader)->settle()) continue;
  }
  return reader;
}

Result<std::vector<RankRange>> selectedRanks(const std::string& option, const Journal& journal) {
  auto ranks = selectRanks(option, recordedMesh(journal));
  if (!ranks) return fail("--ranks: " + ranks.error().message);
  return ranks;
}

Result<Query> ranksTerm(const std::string& option, const Journal& journal) {
  if (option.empty()) return Query();
  const auto ranks = selectedRanks(option, journal);
  if (!ranks) return tl::unexpected(ranks.error());
  Term term{.field = "rank"};
  for (const auto& [first, last] : *ranks) {
    term.values.push_back(std::to_string(first) + "-" + std::to_string(last));
  }
  return Query{std::move(term)};
}

Result<void> expectOther(const std::filesystem::path& to,
                         const std::vector<std::filesystem::path>& files) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const auto refused = [&] {
    return fail("--to: got " + to.string() + ", expected a file that is not read");
  };
  for (const auto& file : files) {
    if (fs::equivalent(to, file, failed)) return refused();
    if (!fs::is_directory(file, failed)) continue;
    for (fs::directory_iterator each(file, failed), end; !failed && each != end;
         each.increment(failed)) {
      std::error_code gone;
      if (each->path().extension() == ".shardlens" && fs::equivalent(to, each->path(), gone)) {
        return refused();
      }
    }
  }
  return {};
}

int finishAnswer(const TraceReader& reader, int exitCode) {
  return finishOutput(reportLeftOut(reader.leftOut()) ? std::max(exitCode, kRefused) : exitCode);
}

}  // namespace shardlens::cli
