#include "core/edit/json_edit.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

TEST(SpacedJson, ReadsAsPeopleWriteIt) {
  EXPECT_EQ(spacedJson(Json::parse(R"({"shape":[2,4],"names":["dp","tp"],"x":{},"y":[]})")),
            R"({"shape": [2, 4], "names": ["dp", "tp"], "x": {}, "y": []})");
}

TEST(WithValue, LeavesAllElseAsItIs) {
  const std::string text = R"x({ // of ours
  "a" : [1,  2, /* two, [so] */ "S(0)"], "b": {"c": 3e2}
})x";
  EXPECT_EQ(withValue(text, "/a/2", "R"), R"x({ // of ours
  "a" : [1,  2, /* two, [so] */ "R"], "b": {"c": 3e2}
})x");
  EXPECT_EQ(withValue(text, "/b/c", 7), R"x({ // of ours
  "a" : [1,  2, /* two, [so] */ "S(0)"], "b": {"c": 7}
})x");
  EXPECT_EQ(withValue(text, "/b/d", 7), text);
}

TEST(WithValue, ChangesTheItemsThatDifferOfAListThatStaysAsLong) {
  EXPECT_EQ(withValue("[1,  2 /* two */, [3 ,4]]", "", Json::parse("[1, 5, [3, 6]]")),
            "[1,  5 /* two */, [3 ,6]]");
  EXPECT_EQ(withValue("[1,  2 /* two */]", "", Json::parse("[1, 2, 3]")), "[1, 2, 3]");
}

TEST(WithValue, IsNotMisledByStringsAndComments) {
  const std::string text = R"({"a\"{": "]}\\", /* "b": 1 */ "b": 2} // {)";
  EXPECT_EQ(withValue(text, "/b", 3), R"({"a\"{": "]}\\", /* "b": 1 */ "b": 3} // {)");
  EXPECT_EQ(withValue("{// one\r\"a\": 1}", "/a", 2), "{// one\r\"a\": 2}");
}

TEST(WithMember, IsInsertedAfterTheNamedMember) {
  EXPECT_EQ(withMember(R"({"a": 1, "c": 3})", "", "b", 2, "a"), R"({"a": 1, "b": 2, "c": 3})");
  EXPECT_EQ(withMember(R"({"a": 1})", "", "b", 2), R"({"a": 1, "b": 2})");
  EXPECT_EQ(withMember("{}", "", "b", 2), R"({"b": 2})");
  EXPECT_EQ(withMember(R"({"b": 1})", "", "b", 2), R"({"b": 2})");
}

TEST(WithMember, IsOnASeparateLineIfTheOtherMembersAre) {
  EXPECT_EQ(withMember("{\n  \"a\": 1, // one\n  \"c\": 3 // three\n}", "", "b", 2, "a"),
            "{\n  \"a\": 1, // one\n  \"b\": 2,\n  \"c\": 3 // three\n}");
  EXPECT_EQ(withMember("{\n  \"a\": 1, // one\n  \"c\": 3 // three\n}", "", "d", 4),
            "{\n  \"a\": 1, // one\n  \"c\": 3, // three\n  \"d\": 4\n}");
  EXPECT_EQ(withMember("{\n  \"a\": 1, \"c\": 3\n}", "", "b", 2, "a"),
            "{\n  \"a\": 1,\n  \"b\": 2, \"c\": 3\n}");
}

TEST(WithItem, ComesBehindTheOneAtThatPlace) {
  EXPECT_EQ(withItem("[1, [2], 3]", "", 1, 7), "[1, [2], 7, 3]");
  EXPECT_EQ(withItem("[1]", "", 0, "a"), "[1, \"a\"]");
  EXPECT_EQ(withItem("[\n  1, // one\n  2 // two\n]", "", 0, 7),
            "[\n  1, // one\n  7,\n  2 // two\n]");
  EXPECT_EQ(withItem("[\n  1,\n  2 // two\n]", "", 1, 7), "[\n  1,\n  2, // two\n  7\n]");
  EXPECT_EQ(withItem("[1]", "", 1, 7), "[1]");
}

TEST(WithoutMember, TakesItsCommaAndItsLine) {
  EXPECT_EQ(withoutMember(R"({"a": 1, "b": 2, "c": 3})", "", "b"), R"({"a": 1, "c": 3})");
  EXPECT_EQ(withoutMember(R"({"a": 1, "b": 2})", "", "b"), R"({"a": 1})");
  EXPECT_EQ(withoutMember(R"({"a": 1})", "", "a"), "{}");
  EXPECT_EQ(withoutMember(R"({"a": 1})", "", "b"), R"({"a": 1})");
  EXPECT_EQ(withoutMember("{\"a\": 1,\n \"b\": 2}", "", "b"), "{\"a\": 1}");
  EXPECT_EQ(withoutMember("{\"a\": 1, // one\n \"b\": 2}", "", "b"), "{\"a\": 1 // one\n}");
  EXPECT_EQ(withoutMember("{\n  \"a\": 1, // one\n  \"b\": 2, // two\n  \"c\": 3\n}", "", "b"),
            "{\n  \"a\": 1, // one\n  \"c\": 3\n}");
  EXPECT_EQ(withoutMember("{\n  \"a\": 1, // one\n  \"b\": 2 // two\n}", "", "b"),
            "{\n  \"a\": 1 // one\n}");
}

TEST(WithoutMember, UndoesWithMember) {
  for (const std::string text :
       {R"({"a": 1, "c": 3})", "{\n  \"a\": 1, // one\n  \"c\": 3 // three\n}", "{}"}) {
    EXPECT_EQ(withoutMember(withMember(text, "", "b", Json::parse("[{}]"), "a"), "", "b"), text);
    EXPECT_EQ(withoutMember(withMember(text, "", "b", 2), "", "b"), text);
  }
}

}  // namespace
}  // namespace shardlens
