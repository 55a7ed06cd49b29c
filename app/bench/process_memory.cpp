#include "app/bench/process_memory.h"

#include <fstream>
#include <string>
#include <string_view>

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

}  // namespace shardlens
