#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/records/trace_rows.h"
#include "tests/trace/sample_run.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace shardlens {
namespace {

using Row = std::vector<std::string>;

std::vector<Row> query(const std::filesystem::path& path, const std::string& sql) {
  sqlite3* handle = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  std::vector<Row> rows;
  const auto take = [](void* context, int columns, char** texts, char**) {
    Row row;
    for (int i = 0; i < columns; ++i) row.emplace_back(texts[i] == nullptr ? "NULL" : texts[i]);
    static_cast<std::vector<Row>*>(context)->push_back(std::move(row));
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), take, &rows, nullptr), SQLITE_OK)
      << sqlite3_errmsg(handle);
  sqlite3_close(handle);
  return rows;
}

TEST(TraceView, GivesTheTensorsTheReaderGives) {
  const ScratchFolder folder;
  const auto path = folder / "run.shardlens";
  {
    auto writer = TraceWriter::create(path).value();
    Recorder recorder;
    recorder.addSink(*writer);
    recordSample(recorder);
    recordLong(recorder, 400);
  }
  const auto reader = TraceReader::open(path).value();
  const Journal& journal = reader->journal();
  const auto rows =
      query(path, "SELECT id, name, dtype, shape, placements, mesh FROM tensors ORDER BY id");
  ASSERT_EQ(rows.size(), journal.tensors());
  for (TensorId id = 1; id <= rows.size(); ++id) {
    const TensorRecord tensor = journal.tensor(id);
    ASSERT_EQ(rows[id - 1],
              (Row{std::to_string(id), tensor.name, std::string(dtypeName(tensor.dtype)),
                   shapeJson(tensor.shape), placementsJson(tensor.placements),
                   tensor.mesh ? meshJson(*tensor.mesh) : "NULL"}));
  }
}

TEST(TraceView, IsEmptyForAnEmptyRecordingAndAnswersQuestions) {
  const ScratchFolder folder;
  const auto path = folder / "run.shardlens";
  auto writer = TraceWriter::create(path).value();
  ASSERT_TRUE(writer->flush());
  EXPECT_TRUE(query(path, "SELECT * FROM tensors").empty());
  Recorder recorder;
  recorder.addSink(*writer);
  recordSample(recorder);
  ASSERT_TRUE(writer->flush());
  EXPECT_EQ(query(path, "SELECT json_extract(placements, '$[0]') FROM tensors WHERE name='y'"),
            (std::vector<Row>{{"MaskP(sum, [10, 3], 0)"}}));
}

}  // namespace
}  // namespace shardlens
