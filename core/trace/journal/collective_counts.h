#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// How many collectives each step ran, by kind, in the order in which they first came.
class CollectiveCounts {
 public:
  struct Count {
    int step = -1;
    std::string kind;
    int count = 0;
    std::int64_t bytes = 0;        // what the hosted ranks put in
    std::int64_t nanoseconds = 0;  // until they returned
  };

  // Steps come in order; the reference is good until another kind comes.
  Count& of(int step, std::string_view kind);
  const std::vector<Count>& all() const { return counts_; }

 private:
  std::vector<Count> counts_;
};

}  // namespace shardlens
