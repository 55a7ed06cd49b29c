#include "core/view/run_again.h"

#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/program_source.h"

#include <fmt/core.h>

namespace shardlens::view {

std::string whyNotRunAgain(const Journal& journal) {
  if (!journal.meta("scenario").empty()) return {};
  if (isImported(journal)) {
    return fmt::format("What is imported from a {} has no program to run again",
                       journal.meta("imported"));
  }
  if (!journal.meta(sourceKey(journal.meta("path"))).empty()) {
    return "This is the recording of a Python program: only scenarios are run again here";
  }
  return "The recording does not say its scenario, so that it cannot be run again";
}

}  // namespace shardlens::view
