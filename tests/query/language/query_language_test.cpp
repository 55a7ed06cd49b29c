#include "core/query/language/query.h"
#include "core/query/language/query_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Relation = Term::Relation;

Query parsed(std::string_view text) {
  const auto query = parseQuery(text);
  EXPECT_TRUE(query) << text << ": " << query.error().message;
  return query.value_or(Query());
}

std::string refusal(std::string_view text) {
  const auto query = parseQuery(text);
  if (query) return "understood";
  const auto& [at, length, message] = query.error();
  EXPECT_LE(at + length, std::max<std::size_t>(text.size(), at + 1));
  return std::to_string(at) + "+" + std::to_string(length) + ": " + message;
}

TEST(QueryLanguage, WordsAndFields) {
  EXPECT_THAT(parsed("  "), IsEmpty());
  EXPECT_THAT(parsed("implicit bytes>1MB"),
              ElementsAre(Term{.values = {"implicit"}, .at = 0, .length = 8},
                          Term{.field = "bytes",
                               .relation = Relation::More,
                               .values = {"1MB"},
                               .at = 9,
                               .length = 9}));
  EXPECT_THAT(
      parsed("+op:mm -axis:dp,pp"),
      ElementsAre(
          Term{.field = "op", .values = {"mm"}, .at = 0, .length = 6},
          Term{.isNot = true, .field = "axis", .values = {"dp", "pp"}, .at = 7, .length = 11}));
  const auto relation = [](std::string_view text) { return parsed(text).front().relation; };
  EXPECT_EQ(relation("time>=1ms"), Relation::AtLeast);
  EXPECT_EQ(relation("time<=1ms"), Relation::AtMost);
  EXPECT_EQ(relation("time<1ms"), Relation::Less);
  EXPECT_EQ(relation("step=3"), Relation::Is);
}

TEST(QueryLanguage, ValuesWithBlanksAndCommas) {
  const auto values = [](std::string_view text) { return parsed(text).front().values; };
  EXPECT_THAT(values("placement:MaskP(sum, [10, 3], 0),R"),
              ElementsAre("MaskP(sum, [10, 3], 0)", "R"));
  EXPECT_THAT(values("\"layer norm\""), ElementsAre("layer norm"));
  EXPECT_THAT(values("tensor:\"mask of y\",x'"), ElementsAre("mask of y", "x'"));
  EXPECT_THAT(values("a,b"), ElementsAre("a,b"));
  EXPECT_THAT(values("->"), ElementsAre(">"));
}

TEST(QueryLanguage, RanksByCoordinates) {
  const auto values = [](std::string_view text) { return parsed(text).front().values; };
  EXPECT_THAT(values("rank:(pp=2 dp=1,3 tp=*) mm"), ElementsAre("(pp=2 dp=1,3 tp=*)"));
  EXPECT_THAT(values("rank:\"pp=2 dp=1,3\""), ElementsAre("pp=2 dp=1,3"));
  EXPECT_THAT(values("rank:pp=2"), ElementsAre("pp=2"));
  EXPECT_THAT(refusal("rank:dp=1,3"), HasSubstr("expected all coordinates in brackets"));
  EXPECT_THAT(refusal("rank:(dp=1),(dp=3)"), HasSubstr("expected all coordinates in brackets"));
  EXPECT_THAT(refusal("rank:(dp=x)"), HasSubstr("coordinates such as (dp=1,3 tp=0)"));
  EXPECT_THAT(refusal("rank:(dp=1 dp=2)"), HasSubstr("coordinates such as (dp=1,3 tp=0)"));
}

TEST(QueryLanguage, ReportsThePositionOfAMistake) {
  EXPECT_THAT(refusal("implicit colour:red"),
              HasSubstr("9+10: got the field colour, expected axis,"));
  EXPECT_EQ(refusal("step:x"), "0+6: step: got x, expected a number, or a range such as 0-3");
  EXPECT_EQ(refusal("step:3-1"), "0+8: step: got 3-1, expected a number, or a range such as 0-3");
  EXPECT_EQ(refusal("bytes>1Mb/s"),
            "0+11: bytes: got 1Mb/s, expected an amount such as 4096, 1MB or 1.5KiB");
  EXPECT_EQ(refusal("time>3MB"),
            "0+8: time: got 3MB, expected a time such as 500ns, 20us, 1.5ms or 2s");
  EXPECT_THAT(refusal("kind:tensor"), HasSubstr("kind: got tensor, expected cache, check,"));
  EXPECT_THAT(refusal("placement:S(x)"), HasSubstr("expected a placement such as S(0) or P(sum)"));
  EXPECT_EQ(refusal("op>mm"), "0+5: op: expected \":\" and a value");
  EXPECT_EQ(refusal("step>1,2"), "0+8: step: expected \":\" and a value");
  EXPECT_EQ(refusal("op:"), "3+1: expected a value");
  EXPECT_EQ(refusal("x -"), "3+1: expected a value");
  EXPECT_EQ(refusal("op:a,"), "5+1: expected a value");
  EXPECT_EQ(refusal("x \"y"), "2+2: expected a closing \"");
  EXPECT_EQ(refusal("placement:S(0"), "10+3: expected a closing bracket");
}

TEST(QueryLanguage, Quantities) {
  EXPECT_EQ(parseQuantity("12", Unit::None), 12);
  EXPECT_EQ(parseQuantity("12kb", Unit::None), std::nullopt);
  EXPECT_EQ(parseQuantity("1.5KiB", Unit::Bytes), 1536);
  EXPECT_EQ(parseQuantity("2mb", Unit::Bytes), 2e6);
  EXPECT_EQ(parseQuantity("3us", Unit::Time), 3000);
  EXPECT_EQ(parseQuantity("1e-3s", Unit::Time), 1e6);
  EXPECT_EQ(parseQuantity("inf", Unit::Bytes), std::nullopt);
  EXPECT_EQ(parseQuantity("", Unit::Bytes), std::nullopt);
}

TEST(QueryFields, AreByName) {
  const auto fields = queryFields();
  EXPECT_TRUE(std::is_sorted(fields.begin(), fields.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
  for (const auto& field : fields) EXPECT_EQ(findField(field.name), &field);
}

}  // namespace
}  // namespace shardlens
