#include "core/trace/file/trace_schema.h"

#include <fmt/core.h>

namespace shardlens {

namespace {

constexpr const char* kTables = R"(
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE strings(id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE specs(id INTEGER PRIMARY KEY, dtype TEXT NOT NULL, shape TEXT NOT NULL,
                   placements TEXT NOT NULL, mesh TEXT);
CREATE TABLE routes(id INTEGER PRIMARY KEY, placements TEXT NOT NULL);
CREATE TABLE tensor_blocks(first INTEGER PRIMARY KEY, count INTEGER NOT NULL,
                           records BLOB NOT NULL);
CREATE TABLE shard_values(id INTEGER PRIMARY KEY, event INTEGER NOT NULL, tensor INTEGER NOT NULL,
                          rank INTEGER NOT NULL, shape TEXT NOT NULL, min REAL, max REAL,
                          mean REAL, nans INTEGER NOT NULL, zeros INTEGER NOT NULL,
                          content INTEGER, hash INTEGER);
CREATE INDEX values_by_tensor ON shard_values(tensor, rank, event);
CREATE INDEX values_with_nans ON shard_values(event) WHERE nans > 0;
CREATE TABLE contents(id INTEGER PRIMARY KEY, size INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE blocks(first INTEGER PRIMARY KEY, count INTEGER NOT NULL, revision INTEGER NOT NULL,
                    records BLOB NOT NULL);
CREATE INDEX blocks_by_revision ON blocks(revision);
CREATE TABLE segments(first INTEGER PRIMARY KEY, count INTEGER NOT NULL,
                      least_step INTEGER NOT NULL, greatest_step INTEGER NOT NULL,
                      start_time INTEGER NOT NULL, end_time INTEGER NOT NULL,
                      running INTEGER NOT NULL, implicit INTEGER NOT NULL,
                      program INTEGER NOT NULL);
CREATE TABLE segment_totals(segment INTEGER NOT NULL, kind INTEGER NOT NULL,
                            verdict INTEGER NOT NULL, subkind INTEGER NOT NULL,
                            mesh_dim INTEGER NOT NULL, name INTEGER NOT NULL,
                            ranks INTEGER NOT NULL, process_group INTEGER NOT NULL,
                            detail INTEGER NOT NULL, count INTEGER NOT NULL,
                            bytes INTEGER NOT NULL, time INTEGER NOT NULL,
                            exposed INTEGER NOT NULL, least_sequence INTEGER NOT NULL,
                            greatest_sequence INTEGER NOT NULL);
CREATE TABLE bookmarks(event INTEGER PRIMARY KEY, note TEXT NOT NULL);
)";

// Returns SQL for a little-endian number in `hex`, the record in hexadecimal. A digit's value is
// its position in '123456789ABCDEF'; instr() returns 0 for the digit 0. The brackets are needed
// because SQLite's << and | have equal precedence.
std::string littleEndian(int offset, int bytes) {
  std::string sum;
  for (int half = 0; half < 2 * bytes; ++half) {
    const int digit = 2 * offset + half + 1;
    const int shift = 8 * (half / 2) + (half % 2 == 0 ? 4 : 0);
    if (half != 0) sum += "|";
    sum += fmt::format("(instr('123456789ABCDEF',substr(hex,{},1))<<{})", digit, shift);
  }
  return "(" + sum + ")";
}

std::string unsignedField(const char* name, int offset, int bytes) {
  return littleEndian(offset, bytes) + " AS " + name;
}

std::string columnText(const char* column) {
  return std::string("coalesce((SELECT text FROM strings WHERE id=") + column + "),'') AS " +
         column;
}

// Decodes each record of tensor_blocks in SQL. Slower than a reader with structs, but needs only
// SQLite.
std::string tensorsView() {
  return "CREATE VIEW tensors AS WITH RECURSIVE"
         " ids(id,first,count) AS (SELECT first,first,count FROM tensor_blocks UNION ALL"
         " SELECT id+1,first,count FROM ids WHERE id<first+count-1),"
         " records(id,hex) AS MATERIALIZED (SELECT id,(SELECT hex(substr(records,"
         "(ids.id-ids.first)*8+1,8)) FROM tensor_blocks WHERE first=ids.first) FROM ids),"
         " fields AS (SELECT id," +
         unsignedField("name", 0, 4) + "," + unsignedField("spec", 4, 4) +
         " FROM records)"
         " SELECT fields.id," +
         columnText("name") +
         ",dtype,shape,placements,mesh FROM fields JOIN specs ON specs.id=spec;\n";
}

}  // namespace

std::string schemaSql() {
  return kTables + tensorsView() + "INSERT INTO meta VALUES('format','" + kFormatText + "');\n";
}

}  // namespace shardlens
