#pragma once

#include "core/base/result.h"
#include "core/trace/journal/journal.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;

namespace shardlens {

// A row that SQL found: numbers, texts and nulls, by the names of their columns.
using SqlRow = std::vector<std::pair<std::string, nlohmann::json>>;

// Answers SQL about a journal, which must outlive it: the tables events, tensors and shard_values
// (FORMAT.md) and meta. Nothing but meta is copied beforehand, so that an answer costs what it
// looks at.
class Sql {
 public:
  explicit Sql(const Journal& journal);
  ~Sql();
  Sql(const Sql&) = delete;
  Sql& operator=(const Sql&) = delete;

  // One SELECT; each row is given as it is found, and in the end the names of the columns, which
  // are there without a row, too. Refuses what only changes something.
  Result<std::vector<std::string>> ask(std::string_view question,
                                       const std::function<void(const SqlRow&)>& take);

 private:
  sqlite3* database_ = nullptr;
};

}  // namespace shardlens
