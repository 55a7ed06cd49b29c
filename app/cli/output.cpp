#include "app/cli/output.h"

#include "core/base/json_text.h"
#include "core/model/byte_count.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>

namespace shardlens::cli {

namespace {

Output errorOutput = Output::Words;

void printJsonMessage(const char* kind, const std::string& message) {
  std::cerr << jsonText(nlohmann::ordered_json{{kind, {{"message", message}}}}) << '\n';
}

}  // namespace

void setErrorOutput(Output output) { errorOutput = output; }

int unusable(const std::string& message) {
  if (errorOutput == Output::Json) {
    printJsonMessage("error", message);
  } else {
    std::cerr << "shardlens: " << message << '\n';
  }
  return kUnusable;
}

void printJson(const nlohmann::ordered_json& json) { std::cout << jsonText(json) << std::endl; }

bool reportLeftOut(const std::vector<std::string>& reasons) {
  for (const auto& reason : reasons) {
    if (errorOutput == Output::Json) {
      printJsonMessage("left_out", reason);
    } else {
      std::cerr << "shardlens: left out: " << reason << '\n';
    }
  }
  return !reasons.empty();
}

void reportWritten(const std::filesystem::path& path, Output output) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return;
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path, failed));
  if (output == Output::Json) {
    printJson({{"written", path.string()}, {"bytes", bytes}});
  } else {
    std::cout << "written " << path.string() << ", " << byteCountText(bytes) << '\n';
  }
}

int reportNoMatch(const std::string& what, Output output) {
  if (output == Output::Words) std::cerr << "shardlens: " << what << '\n';
  return kRefused;
}

std::string underlined(const std::string& queryText, const QueryMistake& mistake) {
  const std::size_t at = std::min(mistake.at, queryText.size());
  return mistake.message + "\n  " + queryText + "\n  " + std::string(at, ' ') +
         std::string(std::max<std::size_t>(mistake.length, 1), '^');
}

int finishOutput(int exitCode) {
  std::cout.flush();
  return std::cout ? exitCode : unusable("standard output: could not be written");
}

}  // namespace shardlens::cli
