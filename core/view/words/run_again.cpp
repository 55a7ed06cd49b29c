#include "core/view/words/run_again.h"

#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/program_source.h"

namespace shardlens::view {

std::string whyNotRunAgain(const Journal& journal) {
  if (!journal.meta("scenario").empty()) return {};
  if (isImported(journal)) {
    return "Recordings imported from other tools have no program to run again";
  }
  if (!journal.meta(sourceKey(journal.meta("path"))).empty()) {
    return "The recording is of a Python program; only scenarios can be run again here";
  }
  return "The recording has no scenario, so it cannot be run again";
}

}  // namespace shardlens::view
