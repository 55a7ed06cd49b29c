#include "app/cli/commands.h"
#include "app/cli/recording_answer.h"
#include "app/parquet/table_files.h"
#include "core/base/json_text.h"

#include <fmt/core.h>

#include <fstream>
#include <iostream>
#include <system_error>

namespace shardlens::cli {
namespace {

namespace fs = std::filesystem;

// Marks a folder as an export, which a later export may replace.
constexpr auto kMark = "shardlens.json";

Result<nlohmann::ordered_json> writeTables(const fs::path& folder, const SqlSource& source) {
  nlohmann::ordered_json tables;
  for (const SqlTable& table : sqlTables()) {
    const auto rows = writeTableFiles(folder, table, source);
    if (!rows) return fail(rows.error().message);
    tables[table.name] = *rows;
  }
  std::ofstream mark(folder / kMark);
  mark << jsonText(nlohmann::ordered_json{{"schema", 1}, {"rows", tables}}) << '\n';
  if (!mark.flush()) return fail((folder / kMark).string() + ": could not be written");
  return tables;
}

// Writes all tables to a folder beside `to` and puts it in the place of `to` when it is complete.
Result<nlohmann::ordered_json> exportTables(const fs::path& to, const SqlSource& source) {
  if (fs::exists(to) && !fs::exists(to / kMark)) {
    return fail(to.string() +
                ": exists and is no earlier export: remove it, or choose another name");
  }
  const fs::path part = to.string() + ".part";
  std::error_code failed;
  if (fs::exists(part, failed)) return fail(part.string() + " is in the way: remove it");
  if (!fs::create_directories(part, failed)) {
    return fail(part.string() + ": cannot make the folder: " + failed.message());
  }
  auto tables = writeTables(part, source);
  if (tables) {
    fs::remove_all(to, failed);
    fs::rename(part, to, failed);
    if (failed) tables = fail(to.string() + ": " + failed.message());
  }
  if (!tables) fs::remove_all(part, failed);
  return tables;
}

int exportParquet(const ParquetOptions& options) {
  const auto reader = openWhole(options.files, options.steps);
  if (!reader) return unusable(reader.error().message);
  const auto tables = exportTables(options.to, sqlSourceOf(**reader));
  if (!tables) return unusable(tables.error().message);
  if (options.output == Output::Json) {
    printJson({{"written", options.to.string()}, {"rows", *tables}});
  } else {
    std::cout << options.to.string() << ":\n";
    for (const auto& [name, rows] : tables->items()) {
      std::cout << fmt::format("  {:<13} {:>12} rows\n", name, rows.get<std::int64_t>());
    }
  }
  return finishAnswer(**reader, kAllRan);
}

}  // namespace
}  // namespace shardlens::cli

int main(int argc, char** argv) {
  return shardlens::cli::runProgram(argc, argv, {.parquet = shardlens::cli::exportParquet});
}
