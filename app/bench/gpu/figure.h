#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

namespace shardlens::bench {

// A measurement.
struct Figure {
  std::string name;
  double nanoseconds;          // of one call
  std::int64_t bytes = 0;      // that a call has to read and write at least; 0 if unknown
  double copyNanoseconds = 0;  // of a copy of as many bytes; 0 if not measured
  double hostNanoseconds = 0;  // until the call returned; 0 if not measured
};

// Receives each figure once it is measured.
using Report = std::function<void(const Figure&)>;

// Prints a figure in the format that report.py reads.
inline void print(const Figure& figure) {
  std::printf("%-64s  %10.1f us", figure.name.c_str(), figure.nanoseconds / 1e3);
  if (figure.bytes > 0) {
    const auto bytes = static_cast<double>(figure.bytes);
    std::printf(" %9.1f MB %8.1f GB/s", bytes / 1e6, bytes / figure.nanoseconds);
  }
  if (figure.copyNanoseconds > 0) {
    std::printf("   copy %9.1f us %6.1f %%", figure.copyNanoseconds / 1e3,
                100 * figure.copyNanoseconds / figure.nanoseconds);
  }
  if (figure.hostNanoseconds > 0) std::printf("   host %9.1f us", figure.hostNanoseconds / 1e3);
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace shardlens::bench
