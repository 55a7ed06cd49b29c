#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace shardlens {

// A reporter for Google Benchmark that prints the median and spread of each measurement, then a
// table of ratios. Times are processor times, because the work is on one thread. A ratio is left
// out if one of its measurements did not run.
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
