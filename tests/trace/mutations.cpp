#include "tests/trace/mutations.h"

#include "core/trace/events/packed_events.h"
#include "core/trace/file/page_checksums.h"

#include <sqlite3.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

namespace shardlens {

namespace {

using Random = std::mt19937_64;

std::uint64_t below(Random& random, std::uint64_t end) { return random() % end; }

template <class List>
const auto& oneOf(Random& random, const List& list) {
  return list[below(random, std::size(list))];
}

struct Column {
  const char* table;
  const char* name;
};
constexpr std::array kColumns = {
    Column{"meta", "key"},
    Column{"meta", "value"},
    Column{"strings", "id"},
    Column{"strings", "text"},
    Column{"specs", "id"},
    Column{"specs", "dtype"},
    Column{"specs", "shape"},
    Column{"specs", "placements"},
    Column{"specs", "mesh"},
    Column{"tensor_blocks", "first"},
    Column{"tensor_blocks", "count"},
    Column{"tensor_blocks", "records"},
    Column{"shard_values", "id"},
    Column{"shard_values", "event"},
    Column{"shard_values", "tensor"},
    Column{"shard_values", "rank"},
    Column{"shard_values", "shape"},
    Column{"shard_values", "min"},
    Column{"shard_values", "max"},
    Column{"shard_values", "mean"},
    Column{"shard_values", "nans"},
    Column{"shard_values", "zeros"},
    Column{"shard_values", "content"},
    Column{"contents", "id"},
    Column{"contents", "size"},
    Column{"contents", "data"},
    Column{"blocks", "first"},
    Column{"blocks", "count"},
    Column{"blocks", "revision"},
    Column{"blocks", "records"},
};

// SQL literals.
constexpr std::array kValues = {
    "NULL",
    "-1",
    "0",
    "1",
    "3",
    "17",
    "1048576",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "1e308",
    "-1e308*10",
    "0.5",
    "''",
    "'x'",
    "'{}'",
    "'[]'",
    "'null'",
    "'[[[[1]]]]'",
    "'[-1]'",
    "'[0]'",
    "'[10,3]'",
    "'[3,10]'",
    "'[1,1,1,1,30]'",
    "'[1000000,1000000]'",
    "'[9223372036854775807]'",
    "'[1e300]'",
    "'[\"R\"]'",
    "'[\"S(0)\"]'",
    "'[\"S(1)\"]'",
    "'[\"S(7)\"]'",
    "'[\"SS(0, 2147483647)\"]'",
    "'[\"SS(0, 60000)\"]'",
    "'[\"P(sum)\"]'",
    "'[\"NormP(0)\"]'",
    "'[\"MaskP(sum, [10, 3], 0)\"]'",
    "'[\"MaskP(sum, [10, 3], 1)\"]'",
    "'[\"MaskP(sum, [0], 0)\"]'",
    "'[\"MaskP(sum, [1000000000000, 1000000], 0)\"]'",
    "'[\"R\",\"S(0)\"]'",
    "'{\"shape\":[2],\"names\":[\"a\"],\"ranks\":[0,2147483647]}'",
    "'{\"shape\":[1],\"names\":[\"tp\"],\"ranks\":[7]}'",
    "'{\"shape\":[4],\"names\":[\"tp\"],\"ranks\":[3,2,1,0]}'",
    "'1:tp'",
    "'4:tp'",
    "'2x2:dp,tp'",
    "'3x1x2:a,b,c'",
    "'100000:tp'",
    "'4096x4096:dp,tp'",
    "'16777216:tp'",
    "'dry'",
    "'gloo'",
    "'0-3'",
    "'2,3'",
    "'0-1048575|0-1048575|0-1048575'",
    "'float16'",
    "'float64'",
    "'int64'",
    "'bool'",
    "'aten.embedding'",
    "'strategy'",
    "'{\"holder\":[\"y\",7]}'",
    "'{\"args\":[\"w: f32[10, 3](S(0))\",\"x: i64[6](R)\"]}'",
    "'[{\"mesh_dim\":2147483648,\"bytes\":1e308,\"explained\":{\"ways\":[{\"collectives\":1e30}]}}]"
    "'",
    "CAST(x'FF00FEC0AF' AS TEXT)",
    "x''",
    "x'00'",
    "zeroblob(12)",
    "zeroblob(24)",
    "zeroblob(64)",
    "zeroblob(240)",
    "replace(hex(zeroblob(1000000)), '00', '[')",
    "replace(hex(zeroblob(500000)), '00', '{\"a\":')",
    "replace(hex(zeroblob(1000000)), '00', 'a b')",
    "replace(hex(zeroblob(100000)), '00', '0,|')",
};

class File {
 public:
  explicit File(const std::filesystem::path& path) {
    if (sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE, checkedFileSystem()) !=
        SQLITE_OK) {
      throw std::runtime_error("no recording");
    }
    run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA ignore_check_constraints=1");
  }
  ~File() { sqlite3_close(handle_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Executes SQL and returns it. Ignores errors, so changes that the schema forbids are not made.
  std::string run(const std::string& sql) {
    sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
    return sql;
  }

  std::uint64_t rows(const std::string& table) {
    return static_cast<std::uint64_t>(number("SELECT count(*) FROM " + table));
  }

  // Changes the events of the block in this row. Returns false if it has none that can be unpacked.
  bool changeBlock(const std::string& row, const std::function<void(std::span<Event>)>& change) {
    const std::string from = " FROM blocks WHERE " + row;
    const auto first = static_cast<EventId>(number("SELECT first" + from));
    const std::int64_t count = number("SELECT count" + from);  // another change may have damaged it
    if (count < 1 || count > kBlockEvents) return false;
    EventBlock block{.events = std::vector<Event>(static_cast<std::size_t>(count))};
    const std::string packed = blob("SELECT records" + from);
    if (!unpackEvents(std::as_bytes(std::span(packed)), first, block)) return false;
    change(block.events);
    const auto again = packEvents(block);
    put("UPDATE blocks SET records=? WHERE " + row,
        {reinterpret_cast<const char*>(again.data()), again.size()}, /*asText=*/false);
    return true;
  }

  std::string blob(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr);
    std::string bytes;
    if (sqlite3_step(statement) == SQLITE_ROW) {
      const auto* data = static_cast<const char*>(sqlite3_column_blob(statement, 0));
      const int size = sqlite3_column_bytes(statement, 0);
      if (size > 0) bytes.assign(data, static_cast<std::size_t>(size));
    }
    sqlite3_finalize(statement);
    return bytes;
  }

  void put(const std::string& sql, const std::string& bytes, bool asText) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr);
    const auto size = static_cast<int>(bytes.size());
    if (asText) {
      sqlite3_bind_text(statement, 1, bytes.data(), size, SQLITE_TRANSIENT);
    } else {
      sqlite3_bind_blob(statement, 1, bytes.data(), size, SQLITE_TRANSIENT);
    }
    sqlite3_step(statement);
    sqlite3_finalize(statement);
  }

 private:
  std::int64_t number(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr);
    const std::int64_t found =
        sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return found;
  }

  sqlite3* handle_ = nullptr;
};

// Returns an SQL condition that selects a random row of a table by its key, as "id=(SELECT ...)".
std::string oneRow(Random& random, File& file, const std::string& table) {
  const std::string key = table == "meta" ? "key" : table.ends_with("blocks") ? "first" : "id";
  const std::uint64_t rows = file.rows(table);
  return key + "=(SELECT " + key + " FROM " + table + " ORDER BY 1 LIMIT 1 OFFSET " +
         std::to_string(rows == 0 ? 0 : below(random, rows)) + ")";
}

std::string changeColumn(Random& random, File& file) {
  const Column& column = oneOf(random, kColumns);
  std::string sql = std::string("UPDATE OR REPLACE ") + column.table + " SET " + column.name + "=" +
                    oneOf(random, kValues);
  if (below(random, 4) != 0) sql += " WHERE " + oneRow(random, file, column.table);
  return file.run(sql);
}

// Sets the same wrong shape in both tables.
std::string changeShapes(Random& random, File& file) {
  const std::string value = oneOf(random, kValues);
  std::string sql = "UPDATE specs SET shape=" + value + "; UPDATE shard_values SET shape=" + value;
  if (below(random, 2) == 0) sql += ", content=NULL";
  return file.run(sql);
}

// Deletes one row or all rows of a table, changes a key, or duplicates the values.
std::string changeRows(Random& random, File& file) {
  const std::string table = oneOf(random, kColumns).table;
  const std::string row = oneRow(random, file, table);
  switch (below(random, 4)) {
    case 0:
      return file.run("DELETE FROM " + table + " WHERE " + row);
    case 1:
      return file.run("DELETE FROM " + table);
    case 2:
      return file.run("UPDATE OR REPLACE " + table + " SET " + row.substr(0, row.find('=')) + "=" +
                      row.substr(row.find('=') + 1) + "+1 WHERE " + row);
    default:
      return file.run("INSERT INTO shard_values SELECT id+1000, event, tensor, " +
                      std::to_string(below(random, 9)) +
                      ", shape, min, max, mean, nans, zeros, content, hash FROM shard_values");
  }
}

std::uint64_t hostileNumber(Random& random) {
  constexpr std::array<std::uint64_t, 10> kNumbers = {
      0, 1, 2, 0x7f, 0xff, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, ~0ULL};
  switch (below(random, 3)) {
    case 0:
      return oneOf(random, kNumbers);
    case 1:
      return below(random, 40);
    default:
      return random();
  }
}

// Changes a field of one event, or of all events of a block.
std::string changeEvent(Random& random, File& file) {
  using Set = void (*)(Event&, std::uint64_t);
  constexpr std::array<Set, 18> kFields = {
      [](Event& event, std::uint64_t to) { event.time = static_cast<std::int64_t>(to); },
      [](Event& event, std::uint64_t to) { event.duration = static_cast<std::int64_t>(to); },
      [](Event& event, std::uint64_t to) { event.bytes = static_cast<std::int64_t>(to); },
      [](Event& event, std::uint64_t to) { event.parent = static_cast<EventId>(to); },
      [](Event& event, std::uint64_t to) { event.name = static_cast<StringId>(to); },
      [](Event& event, std::uint64_t to) { event.detail = static_cast<StringId>(to); },
      [](Event& event, std::uint64_t to) { event.ranks = static_cast<StringId>(to); },
      [](Event& event, std::uint64_t to) { event.subject = static_cast<std::uint32_t>(to); },
      [](Event& event, std::uint64_t to) { event.related = static_cast<std::uint32_t>(to); },
      [](Event& event, std::uint64_t to) { event.line = static_cast<std::int32_t>(to); },
      [](Event& event, std::uint64_t to) { event.step = static_cast<std::int32_t>(to); },
      [](Event& event, std::uint64_t to) { event.count = static_cast<std::int32_t>(to); },
      [](Event& event, std::uint64_t to) { event.inputs = static_cast<std::uint32_t>(to); },
      [](Event& event, std::uint64_t to) { event.kind = static_cast<EventKind>(to); },
      [](Event& event, std::uint64_t to) { event.verdict = static_cast<Verdict>(to); },
      [](Event& event, std::uint64_t to) { event.meshDim = static_cast<std::int8_t>(to); },
      [](Event& event, std::uint64_t to) { event.route = static_cast<RouteId>(to); },
      [](Event& event, std::uint64_t to) { event.subkind = static_cast<std::uint8_t>(to); }};
  const std::uint64_t field = below(random, kFields.size());
  const std::uint64_t number = hostileNumber(random);
  const bool all = below(random, 4) == 0;
  const std::string row = oneRow(random, file, "blocks");
  std::uint64_t only = 0;
  const bool done = file.changeBlock(row, [&](std::span<Event> events) {
    only = below(random, events.size());
    for (std::uint64_t i = 0; i < events.size(); ++i) {
      if (all || i == only) kFields[field](events[i], number);
    }
  });
  if (!done) return "nothing";
  return "event " + (all ? std::string("all") : std::to_string(only)) + " of the block " + row +
         " has as field " + std::to_string(field) + " the number " + std::to_string(number);
}

// Inserts text with a meaning in JSON, in placement notation or in lists of ranks.
std::string changeText(Random& random, File& file) {
  constexpr std::array kPieces = {"[",   "]",    "{",    "}",      "\"",         ",",   ":", "-",
                                  "9",   "null", "true", "1e999",  "2147483648", "(",   ")", "|",
                                  "\\u", "\xff", "$",    "\"a\":", "0-9999999",  "S(9)"};
  const Column column = below(random, 3) == 0   ? Column{"meta", "value"}
                        : below(random, 4) == 0 ? Column{"specs", "placements"}
                                                : Column{"strings", "text"};
  const std::string row = oneRow(random, file, column.table);
  std::string text = file.blob(std::string("SELECT CAST(") + column.name + " AS BLOB) FROM " +
                               column.table + " WHERE " + row);
  for (std::uint64_t changes = 1 + below(random, 3); changes > 0; --changes) {
    const std::size_t at = below(random, text.size() + 1);
    text.replace(at, below(random, 6), oneOf(random, kPieces));
  }
  file.put(std::string("UPDATE ") + column.table + " SET " + column.name + "=? WHERE " + row, text,
           /*asText=*/true);
  return std::string(column.table) + " has " + row + " " + text.substr(0, 400);
}

// Changes half of the recordings without checksums, so that the reader meets the bytes.
std::string changeBytes(Random& random, const std::filesystem::path& path) {
  if (below(random, 2) == 0) File(path).run("DELETE FROM meta WHERE key='sealed_pages'");
  std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto size = std::filesystem::file_size(path);
  std::string done = "bytes";
  for (std::uint64_t changes = 1 + below(random, 8); changes > 0; --changes) {
    // SQLite places data at both ends of a page.
    constexpr std::uint64_t kPage = 4096;
    const std::uint64_t page = below(random, size / kPage) * kPage;
    const std::uint64_t at =
        page + (below(random, 2) == 0 ? below(random, 200) : kPage - 1 - below(random, 4000));
    const char byte = static_cast<char>(random());
    stream.seekp(static_cast<std::streamoff>(at));
    stream.put(byte);
    done += " " + std::to_string(at) + "=" + std::to_string(static_cast<unsigned char>(byte));
  }
  return done;
}

std::string truncateFile(Random& random, const std::filesystem::path& path) {
  constexpr std::uint64_t kPage = 4096;
  const auto size = std::filesystem::file_size(path);
  const auto left =
      below(random, 2) == 0 ? below(random, size) : below(random, size / kPage) * kPage;
  std::filesystem::resize_file(path, left);
  return "truncated to " + std::to_string(left) + " bytes";
}

}  // namespace

std::string Mutations::write(std::uint64_t number, const std::filesystem::path& path) const {
  std::filesystem::copy_file(whole_, path, std::filesystem::copy_options::overwrite_existing);
  Random random(number);
  const std::uint64_t kind = below(random, 20);
  if (kind == 0) return truncateFile(random, path);
  if (kind < 4) return changeBytes(random, path);
  File file(path);
  std::string done;
  for (std::uint64_t changes = 1 + below(random, 8) / 6; changes > 0; --changes) {
    done += (done.empty() ? "" : "; ") + (kind < 10   ? changeColumn(random, file)
                                          : kind < 11 ? changeShapes(random, file)
                                          : kind < 12 ? changeRows(random, file)
                                          : kind < 16 ? changeEvent(random, file)
                                                      : changeText(random, file));
  }
  return done;
}

void changeBlock(const std::filesystem::path& path, EventId first,
                 const std::function<void(std::span<Event>)>& change) {
  if (!File(path).changeBlock("first=" + std::to_string(first), change)) {
    throw std::runtime_error("no such block");
  }
}

MutationRange mutationRange(std::uint64_t usual) {
  const char* setting = std::getenv("SHARDLENS_MUTATIONS");
  if (setting == nullptr) return {0, usual};
  char* end = nullptr;
  MutationRange range;
  range.count = std::strtoull(setting, &end, 10);
  if (*end == '+') range.first = std::strtoull(end + 1, nullptr, 10);
  return range;
}

}  // namespace shardlens
