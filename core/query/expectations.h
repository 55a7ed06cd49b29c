#pragma once

#include "core/base/result.h"
#include "core/query/query.h"
#include "core/trace/journal/journal.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// What somebody expects of a recording, a line each:
//
//   no implicit kind:redistribute module:layers.3
//   at most 2 kind:collective name:all_reduce per module
//   exactly 1 op:embedding kind:operator per step
//   at least 1 cache:hit
//
// The events that a query asks for are counted, all of them or those of each step, module or
// process group. Lines that begin with # are comments.
struct Expectation {
  enum class Per : std::uint8_t { All, Step, Module, Group };

  std::size_t line = 0;  // in its file, from 1
  std::string text = {};
  Query query = {};
  std::int64_t least = 0;
  std::optional<std::int64_t> most = {};
  Per per = Per::All;
};

// Names the line that cannot be understood.
Result<std::vector<Expectation>> parseExpectations(std::string_view text);

// One that does not hold, once for each step, module or group in which it does not.
struct Unmet {
  const Expectation* expectation = nullptr;
  std::string where = {};  // "step 3", "module layers.3"; empty of all
  std::int64_t count = 0;
  std::vector<EventId> events = {};  // the first of them
};

std::vector<Unmet> findUnmet(const Journal& journal, const std::vector<Expectation>& expectations);

}  // namespace shardlens
