#pragma once

#include "core/base/result.h"
#include "core/query/language/query.h"
#include "core/trace/journal/journal.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// An assertion about a recording, one per line:
//
//   no implicit kind:redistribute module:layers.3
//   at most 2 kind:collective name:all_reduce per module
//   exactly 1 op:embedding kind:operator per step
//   at least 1 cache:hit
//
// It bounds the number of events that match a query, in total or per step, module or process group.
// Lines that begin with # are comments.
struct Expectation {
  enum class Per : std::uint8_t { All, Step, Module, Group };

  std::size_t line = 0;  // line in the file, from 1
  std::string text = {};
  Query query = {};
  std::int64_t least = 0;
  std::optional<std::int64_t> most = {};  // nullopt: no upper bound
  Per per = Per::All;
};

// Parses a file of expectations. Returns an error that names the first invalid line.
Result<std::vector<Expectation>> parseExpectations(std::string_view text);

// A violated expectation, in one step, module or group.
struct Unmet {
  const Expectation* expectation = nullptr;  // points into the argument of findUnmet()
  std::string where = {};                    // "step 3", "module layers.3"; "" for the total
  std::int64_t count = 0;
  std::vector<EventId> events = {};  // the first 10 matching events
};

// Returns the violations, one per step, module or group. A lower bound is checked for each step,
// module or group that has any event. Reads the whole journal once per expectation.
std::vector<Unmet> findUnmet(const Journal& journal, const std::vector<Expectation>& expectations);

}  // namespace shardlens
