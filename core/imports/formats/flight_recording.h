#pragma once

#include "core/imports/imported_rank.h"
#include "core/imports/input/byte_source.h"
#include "core/imports/input/plain_value.h"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace shardlens {

enum class FlightForm { Json, Pickle };

// An index of the process groups in all Flight Recorder dumps of a run. If no dump lists a group's
// members, they are inferred: all ranks for c10d's default group, else the ranks that called it.
class FlightGroups {
 public:
  // Reads the dump of a rank. Call it once per rank before any query. Throws BadDump.
  void add(int rank, ByteSource& source, FlightForm form);

  // Returns the group's ranks, ascending; empty for an unknown group. `group` is a groupName().
  std::vector<int> members(const std::string& group) const;
  // Returns true if the group is c10d's default group.
  bool isOfAll(const std::string& group) const;
  std::vector<std::string> guessed() const;  // groups whose members were inferred
  // Returns the first sequence number that all dumps still contain, or 1 for an unknown group. A
  // rank's buffer keeps only its newest entries.
  std::int64_t firstKnown(const std::string& group) const;

 private:
  struct Group {
    std::set<int> listed;  // members listed in a dump
    std::set<int> called;  // ranks that called a collective
    bool isOfAll = false;
    std::int64_t firstKnown = 1;
  };

  std::map<std::string, Group> groups_;
  std::set<int> ranks_;
};

// Imports a rank's dump, one event per entry. Collectives have their group, sequence number, bytes
// and user's source line; other entries become operators. An entry that is neither completed nor
// retired is still running. Times start at the rank's first entry. Returns the number of
// collectives that were skipped because another rank's dump has lost them. Throws BadDump.
std::int64_t importFlightRecording(ByteSource& source, FlightForm form, const FlightGroups& groups,
                                   ImportedRank& rank);

}  // namespace shardlens
