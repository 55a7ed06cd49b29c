#include "core/trace/snapshot/cache_key.h"

#include "core/trace/records/lookup_record.h"

namespace shardlens {

std::string cacheKey(const Journal& journal, EventId made) {
  if (made == 0) return {};
  return keyText(readLookup(journal.detail(journal.at(made))).fields);
}

}  // namespace shardlens
