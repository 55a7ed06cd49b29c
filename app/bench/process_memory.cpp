#include "app/bench/process_memory.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace shardlens {
namespace {

// Returns a field of /proc/self/status in MiB; 0 if it is missing.
double statusMiB(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::stod(line.substr(field.size())) / 1024;
  }
  return 0;
}

}  // namespace

double residentMiB() { return statusMiB("VmRSS:"); }
double peakMiB() { return statusMiB("VmHWM:"); }

int openFiles() {
  std::error_code code;
  const std::filesystem::directory_iterator files("/proc/self/fd", code);
  if (code) return 0;
  return static_cast<int>(std::distance(begin(files), end(files))) - 1;  // without the iterator's
}

}  // namespace shardlens
