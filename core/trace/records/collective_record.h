#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shardlens {

// The detail of a Collective event. The detail is "" if all members are empty.
struct CollectiveRecord {
  std::string axis = {};  // the mesh dimensions of its groups: "tp", "dp_tp"
  // Merged recordings: the hosted ranks of the processes that recorded the event, "0,2". Empty if
  // all processes recorded it.
  std::string only = {};
  std::string why = {};  // halo_exchange: which windows reach beyond a rank's shard, and how far
  // Broadcast, scatter: the index in each group of the member that sends, from 0.
  std::optional<int> root = {};
  bool operator==(const CollectiveRecord&) const = default;
};

// Convert a record to and from the JSON of the detail. Missing or malformed members read as empty,
// and so does any other text.
std::string collectiveDetail(const CollectiveRecord& collective);
CollectiveRecord readCollective(std::string_view detail);
// Returns the member `only`, the ranks that arrived at the collective, "" if all did. Cheaper than
// readCollective() for details without it.
std::string readArrivedRanks(std::string_view detail);

// The two ranks of a send or a recv of a job. Its event has one member, the rank that called it.
struct MessageRecord {
  std::optional<int> sender = {};  // nullopt for a recv from any rank
  int receiver = 0;
  bool isSend = false;  // else the recv
  bool operator==(const MessageRecord&) const = default;
};
// Reads the name of a Collective event, "send 0->1", "recv 1<-0" or "recv 1<-any". nullopt for
// other names.
std::optional<MessageRecord> readMessage(std::string_view name);

}  // namespace shardlens
