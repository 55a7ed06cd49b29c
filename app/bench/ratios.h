#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace shardlens {

// Prints each measurement's median and spread, then the ratios of those that say something
// together. Times are the processor's: one thread does all, and other programs do not count.
class RatioReporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  struct Measured {
    double median = 0;  // microseconds
    double spread = 0;  // standard deviation over mean, in percent
  };
  std::map<std::string, Measured> measured_;
};

}  // namespace shardlens
