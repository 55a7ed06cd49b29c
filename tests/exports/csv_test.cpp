#include "core/exports/csv.h"

#include "core/trace/recorder/event_makers.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace shardlens {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class CsvTest : public ::testing::Test {
 protected:
  CsvTest() {
    recorder_.addSink(journal_);
    recorder_.setCapture(CaptureLevel::All);
    recordSample(recorder_);
  }

  std::string written(std::string_view table, EventId position) {
    std::ostringstream out;
    const auto done = writeCsv(journal_, table, position, out);
    return done ? out.str() : done.error().message;
  }
  std::string written(std::string_view table) { return written(table, journal_.size()); }

  Recorder recorder_;
  Journal journal_;
};

TEST_F(CsvTest, QuotesCommasQuotesAndLineBreaks) {
  recorder_.meta("title", "a \"b\",\r\nc");
  EXPECT_EQ(written("meta"),
            "key,value\r\n"
            "masking,stepwise\r\n"
            "mesh,2:tp\r\n"
            "title,\"a \"\"b\"\",\r\nc\"\r\n");
}

// A spreadsheet computes a cell that begins as a formula.
TEST_F(CsvTest, MarksFormulasAsText) {
  recorder_.meta("a", "=1+1");
  recorder_.meta("b", "@SUM(A1)");
  recorder_.meta("c", "-1e-3");
  recorder_.meta("d", "-1+cmd");
  recorder_.meta("e", "+1");
  recorder_.meta("f", "\tx");
  EXPECT_THAT(written("meta"), HasSubstr("a,'=1+1\r\n"
                                         "b,'@SUM(A1)\r\n"
                                         "c,-1e-3\r\n"
                                         "d,'-1+cmd\r\n"
                                         "e,'+1\r\n"
                                         "f,'\tx\r\n"));
}

TEST_F(CsvTest, ATableOfSqlIsComplete) {
  EXPECT_EQ(written("tensors"),
            "id,name,dtype,shape,placements,mesh\r\n"
            "1,w,float32,\"[10,3]\",\"[\"\"S(0)\"\"]\",\r\n"
            "2,mask of y,bool,[4],[],\r\n"
            "3,y,float32,\"[4,3]\",\"[\"\"MaskP(sum, [10, 3], 0)\"\"]\",\r\n"
            "4,z,float32,\"[4,3]\",\"[\"\"MaskP(sum, [10, 3], 0)\"\"]\",\r\n");
  EXPECT_THAT(written("shard_values"),
              HasSubstr("1,2,1,0,\"[1,3]\",0.5,2.0,1.1666666666666667,0,0,\r\n"));
}

TEST_F(CsvTest, AnEmptyTableHasItsHeadings) {
  Journal nothing;
  std::ostringstream out;
  ASSERT_TRUE(writeCsv(nothing, "events", 0, out));
  EXPECT_EQ(out.str(),
            "id,time,duration,bytes,parent,name,detail,ranks,subject,related,line,step,count,kind,"
            "verdict,mesh_dim,inputs,site,device,process_group,sequence,exposed\r\n");
}

TEST_F(CsvTest, LookupsShowTheirKeysAndMissReasons) {
  const std::string key = "\"aten.embedding f32[10, 3](S(0)) i64[4](R)\"";
  EXPECT_EQ(written("lookups"),
            "event,step,cache,verdict,entries,uses,age,key,nearest,why\r\n"
            "5,2,strategy,Miss,0,,," +
                key + ",,the cache is empty\r\n" + "10,3,strategy,Hit,0,0,0," + key + ",,\r\n" +
                "14,4,plan,Off,0,,,\"MaskP(sum, [10, 3], 0) -> R\",,\r\n");
}

TEST_F(CsvTest, ATableOfAPositionHasTheStateThere) {
  const std::string headings = "buffer,refcount,holders,tensors,mask,changed\r\n";
  EXPECT_EQ(written("buffers", 4), headings);
  EXPECT_EQ(written("buffers", 7), headings + "1,1,y,y,mask of y,6\r\n");
  EXPECT_EQ(written("buffers"), headings + "1,0,,,mask of y,19\r\n");
  const std::string caches = "table,key,hits,misses,size when made,first use,last use,last\r\n";
  EXPECT_EQ(written("caches", 4), caches);
  EXPECT_EQ(written("caches"),
            caches + "strategy,\"aten.embedding f32[10, 3](S(0)) i64[4](R)\",1,1,0,5,10,hit\r\n");
}

TEST_F(CsvTest, AnUnknownTableIsRefusedWithThoseThereAre) {
  EXPECT_EQ(written("colours"),
            "table colours: expected one of events, tensors, shard_values, meta, lookups, buffers, "
            "caches, candidates, plan, alternatives");
}

}  // namespace
}  // namespace shardlens
