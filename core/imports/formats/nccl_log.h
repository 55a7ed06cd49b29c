#pragma once

#include "core/imports/imported_rank.h"
#include "core/imports/input/byte_source.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// Who wrote a line of what NCCL prints, NCCL_DEBUG=INFO: "host:1234" and its device.
using NcclProcess = std::pair<std::string, int>;

// What the logs of a run, a file or several, say together of its communicators.
class NcclCommunicators {
 public:
  // Reads a log for the first time. Throws BadDump where no communicator is made in it, for then
  // nobody's rank is known: the log needs the subsystems INIT and COLL.
  void add(ByteSource& source);

  struct Communicator {
    std::string group;  // "0x1f0e, of 4 ranks"
    int ranks = 0;
    std::vector<int> members;  // by their ranks in the run; none where not all are known
  };
  // That of this address in the process; null where the log does not have how it was made.
  const Communicator* find(const NcclProcess& process, const std::string& address) const;
  // Of the process: its rank in the first communicator that it made.
  std::optional<int> rankOf(const NcclProcess& process) const;

 private:
  void findMembers();

  struct Made {
    std::string group;
    int rank = 0;
  };
  std::map<std::pair<NcclProcess, std::string>, Made> made_;
  std::map<NcclProcess, int> ranks_;
  std::map<NcclProcess, std::string> first_;
  std::map<std::string, Communicator> communicators_;  // by group
};

// Each call of a collective as a Collective, and each warning as an Error, in the recording of the
// rank whose it is. A log has no times, and numbers calls as they stand in it.
void importNcclLog(ByteSource& source, const NcclCommunicators& communicators,
                   const std::function<ImportedRank&(int rank)>& recordingOf);

}  // namespace shardlens
