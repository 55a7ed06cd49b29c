#pragma once

#include <string>

namespace shardlens::cli {

enum class Blame { Mine, Others };

// Leaves torchrun, if that started this process, the reason why it failed. torchrun shows the
// earliest of them as the root cause.
void writeErrorFile(const std::string& message, Blame blame);

}  // namespace shardlens::cli
