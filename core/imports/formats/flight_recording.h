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

// What the dumps of c10d's Flight Recorder say together of process groups. A dump may not say who
// is in a group: then those are that have called it, and in c10d's own group of all, everybody.
class FlightGroups {
 public:
  // Reads a rank's dump for the first time.
  void add(int rank, ByteSource& source, FlightForm form);

  std::vector<int> members(const std::string& group) const;
  bool isOfAll(const std::string& group) const;
  std::vector<std::string> guessed() const;  // the groups of which no dump says who is in them
  // The first number in the group that no rank's dump has lost: it keeps the newest only.
  std::int64_t firstKnown(const std::string& group) const;

 private:
  struct Group {
    std::set<int> said;    // to be in it
    std::set<int> called;  // a collective of it
    bool isOfAll = false;
    std::int64_t firstKnown = 1;
  };

  std::map<std::string, Group> groups_;
  std::set<int> ranks_;
};

// Each entry of a rank's dump as an event: a Collective with its group, number, bytes and the
// user's line; it runs where it has been neither completed nor retired. Returns how many the rank
// has that others have lost, which are left out.
std::int64_t importFlightRecording(ByteSource& source, FlightForm form, const FlightGroups& groups,
                                   ImportedRank& rank);

}  // namespace shardlens
