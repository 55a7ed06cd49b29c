#pragma once

#include <string>

namespace shardlens::cli {

enum class Blame { Own, Others };

// Writes the error to the file that torchrun named in TORCHELASTIC_ERROR_FILE; does nothing without
// it. torchrun reports the earliest error as the root cause.
void writeErrorFile(const std::string& message, Blame blame);

}  // namespace shardlens::cli
