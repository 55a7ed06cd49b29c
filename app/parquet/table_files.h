#pragma once

#include "core/base/result.h"
#include "core/query/sql/sql_tables.h"

#include <filesystem>

namespace shardlens {

// Writes a table as Parquet files of at most some million rows each:
// FOLDER/TABLE/part-0000.parquet, and so on. The table `events` is partitioned by kind:
// FOLDER/events/kind=Collective/part-0000.parquet. An empty table is one file without rows. Returns
// the number of rows, or an error that names the file.
Result<std::int64_t> writeTableFiles(const std::filesystem::path& folder, const SqlTable& table,
                                     const SqlSource& source);

}  // namespace shardlens
