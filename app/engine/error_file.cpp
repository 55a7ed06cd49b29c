#include "app/engine/error_file.h"

#include "core/base/json_text.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <fstream>

namespace shardlens::cli {
namespace {

// torchrun dates a killed process when it notices, in whole seconds, which can be after the other
// processes noticed. An error that another process caused is therefore dated later than that.
constexpr std::chrono::seconds kAfterTheCause{2};

}  // namespace

void writeErrorFile(const std::string& message, Blame blame) {
  const char* path = std::getenv("TORCHELASTIC_ERROR_FILE");
  if (path == nullptr || *path == '\0') return;
  auto time = std::chrono::system_clock::now();
  if (blame == Blame::Others) time += kAfterTheCause;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch());
  const nlohmann::json error = {
      {"message",
       {{"message", message}, {"extraInfo", {{"timestamp", std::to_string(seconds.count())}}}}}};
  std::ofstream(path) << jsonText(error);
}

}  // namespace shardlens::cli
