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

// The process that wrote a line of an NCCL log (NCCL_DEBUG=INFO): "host:1234" and its device.
using NcclProcess = std::pair<std::string, int>;

// An index of the communicators in all NCCL logs of a run.
class NcclCommunicators {
 public:
  // Reads a log. Call it once per file before any query. Throws BadDump if no log so far creates a
  // communicator, because ranks are then unknown; logging needs NCCL_DEBUG_SUBSYS=INIT,COLL.
  void add(ByteSource& source);

  // A communicator, identified by commId, or by its parent and colour if it was split off.
  struct Communicator {
    std::string group;         // "0x1f0e", or "0x1f0e/0" for a split with colour 0
    int ranks = 0;             // size
    std::vector<int> members;  // global ranks; empty if not all are known
  };
  // Returns the communicator at an address in a process. Returns null if the log does not contain
  // its creation.
  const Communicator* find(const NcclProcess& process, const std::string& address) const;
  // Returns the process's rank in the first communicator that it created, which is its global rank.
  // Returns nullopt for an unknown process.
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

// Imports a log: a Collective per collective call, an Operator per other call, and an Error per
// warning. Events go to the recording that `recordingOf` returns for their rank. Lines of unknown
// processes are skipped. Logs have no times; calls are numbered per communicator in log order.
// Throws BadDump.
void importNcclLog(ByteSource& source, const NcclCommunicators& communicators,
                   const std::function<ImportedRank&(int rank)>& recordingOf);

}  // namespace shardlens
