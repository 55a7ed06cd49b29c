#pragma once

#include <string>

namespace shardlens::cli {

// Who caused an error: this process, or another one that this one noticed.
enum class Blame { Own, Others };

// Writes the error to the file that torchrun named in TORCHELASTIC_ERROR_FILE, over an earlier
// error; does nothing without that variable and ignores write errors. torchrun reports the earliest
// error as the root cause, so an error of Blame::Others is dated 2 seconds later.
void writeErrorFile(const std::string& message, Blame blame);

}  // namespace shardlens::cli
