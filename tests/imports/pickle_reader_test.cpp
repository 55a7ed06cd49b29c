#include "core/imports/input/pickle_reader.h"

#include "core/imports/input/bad_dump.h"
#include "tests/imports/imported.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

class PickleReaderTest : public ::testing::Test {
 protected:
  PlainValue read(const std::string& bytes) {
    return readPickle(*ByteSource::open(written(folder_, "a.pickle", bytes)).value());
  }
  std::string refusal(const std::string& bytes) {
    try {
      read(bytes);
    } catch (const BadDump& problem) {
      return problem.what();
    }
    return "read";
  }

  ScratchFolder folder_;
};

// pickle.dumps({"a": [1, -2, 300, 2**40, None, True], "b": ("x", 0.5, b"y"), 7: {}}, protocol=4)
TEST_F(PickleReaderTest, PlainValuesAreRead) {
  const PlainValue value = read(
      "\x80\x04\x95\x35\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01"
      "a\x94]\x94(K\x01J\xfe\xff\xff\xffM,\x01\x8a\x06\x00\x00\x00\x00\x00\x01N\x88"
      "e\x8c\x01"
      "b\x94\x8c\x01x\x94G?\xe0\x00\x00\x00\x00\x00\x00"
      "C\x01y\x94\x87\x94K\x07}\x94u."s);
  const auto& list = value["a"].list();
  ASSERT_EQ(list.size(), 6U);
  EXPECT_EQ(list[0].integer(), 1);
  EXPECT_EQ(list[1].integer(), -2);
  EXPECT_EQ(list[2].integer(), 300);
  EXPECT_EQ(list[3].integer(), std::int64_t{1} << 40);
  EXPECT_TRUE(list[4].isMissing());
  EXPECT_TRUE(list[5].isTrue());
  EXPECT_EQ(value["b"].list().at(0).text(), "x");
  EXPECT_EQ(value["b"].list().at(1).number(), 0.5);
  EXPECT_EQ(value["b"].list().at(2).text(), "y");
  EXPECT_TRUE(value["7"].members().empty());
}

TEST_F(PickleReaderTest, RefusesAPickleThatCallsFunctions) {
  // A call of os.system, as pickle writes it in protocols 2 and 4.
  EXPECT_EQ(
      refusal("\x80\x02"
              "cposix\nsystem\nU\x04true\x85R."s),
      "byte 3: got the instruction GLOBAL, which names a class or function, expected those of "
      "plain values");
  EXPECT_THAT(refusal("\x80\x04\x8c\x05posix\x8c\x06system\x93)R."s), HasSubstr("STACK_GLOBAL"));
  EXPECT_THAT(refusal("\x80\x02)R."s), HasSubstr("REDUCE, which calls a function"));
  EXPECT_THAT(refusal("\x80\x02}b."s), HasSubstr("BUILD"));
  EXPECT_THAT(refusal("\x80\x02)\x81."s), HasSubstr("NEWOBJ"));
  EXPECT_THAT(refusal("\x80\x02Nq\x01Q."s), HasSubstr("BINPERSID"));
  EXPECT_THAT(refusal("\x80\x02\xff."s), HasSubstr("the instruction 0xff"));
}

TEST_F(PickleReaderTest, SizesAreNotTrusted) {
  EXPECT_THAT(refusal("\x80\x02X\xff\xff\xff\x7f"s), HasSubstr("got the end"));
  EXPECT_THAT(refusal("\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff"s), HasSubstr("got the end"));
  EXPECT_THAT(refusal("\x80\x02X\x10\x00\x00\x00"s + "ab"), HasSubstr("got the end"));
  EXPECT_THAT(refusal("\x80\x02\x8a\x09"s), HasSubstr("a number of 9 bytes"));
  EXPECT_THAT(refusal("\x80\x07N."s), HasSubstr("protocol 7"));
}

TEST_F(PickleReaderTest, RefusesAnUnknownReference) {
  for (const auto& bytes : {"\x80\x02."s, "\x80\x02(."s, "\x80\x02u."s, "\x80\x02h\x05."s,
                            "\x80\x02K\x01K\x02"s + "a.", "\x80\x02}]Ns."s}) {
    EXPECT_THAT(refusal(bytes), HasSubstr("expected")) << bytes;
  }
}

TEST_F(PickleReaderTest, ValuesThatContainThemselvesAreRefused) {
  EXPECT_THAT(refusal("\x80\x02]q\x00h\x00"s + "a."), HasSubstr("part of itself"));
  std::string deep = "\x80\x02"s;
  for (int i = 0; i < 200; ++i) deep += ']';
  for (int i = 0; i < 199; ++i) deep += 'a';
  EXPECT_THAT(refusal(deep + "."), HasSubstr("100 deep"));
}

}  // namespace
}  // namespace shardlens
