#include "app/cli/recording_answer.h"

#include "app/cli/output.h"

namespace shardlens::cli {

Result<std::unique_ptr<TraceReader>> openWhole(const std::vector<std::filesystem::path>& files) {
  auto reader = TraceReader::open(files);
  if (reader) {
    while ((*reader)->settle()) continue;
  }
  return reader;
}

int finishAnswer(const TraceReader& reader, int exitCode) {
  return finishOutput(sayLeftOut(reader.leftOut()) ? std::max(exitCode, kRefused) : exitCode);
}

}  // namespace shardlens::cli
