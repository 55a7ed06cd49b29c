#include "ui/text/source_tokens.h"

#include <gmock/gmock.h>

namespace shardlens {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using enum SourceToken;

std::vector<std::vector<SourceSpan>> tokensOf(const char* text, SourceLanguage language) {
  return sourceTokens(plainLines(QString::fromUtf8(text)), language);
}

TEST(SourceTokens, OfAScenario) {
  const auto lines = tokensOf(R"({"id" : "a: \"b\"", // "c"
  "n": [-1.5e-3, true]})",
                              SourceLanguage::Scenario);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], ElementsAre(SourceSpan{1, 4, Key}, SourceSpan{8, 10, String},
                                    SourceSpan{20, 6, Comment}));
  EXPECT_THAT(lines[1], ElementsAre(SourceSpan{2, 3, Key}, SourceSpan{9, 6, Number},
                                    SourceSpan{17, 4, Keyword}));
}

TEST(SourceTokens, OfAScenarioContinueInACommentOfSeveralLines) {
  const auto lines = tokensOf("[ /* \"a\"\n\n1 */ 2]", SourceLanguage::Scenario);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[0], ElementsAre(SourceSpan{2, 6, Comment}));
  EXPECT_THAT(lines[1], IsEmpty());
  EXPECT_THAT(lines[2], ElementsAre(SourceSpan{0, 4, Comment}, SourceSpan{5, 1, Number}));
}

TEST(SourceTokens, OfPython) {
  const auto lines =
      tokensOf("def f1(x):  # {2}\n  return x[0] + 'it\\'s'", SourceLanguage::Python);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], ElementsAre(SourceSpan{0, 3, Keyword}, SourceSpan{12, 5, Comment}));
  EXPECT_THAT(lines[1], ElementsAre(SourceSpan{2, 6, Keyword}, SourceSpan{11, 1, Number},
                                    SourceSpan{16, 7, String}));
}

TEST(SourceTokens, OfPythonContinueInAStringOfSeveralLines) {
  const auto lines = tokensOf("\"\"\"one\nif \"two\"\"\"; pass", SourceLanguage::Python);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], ElementsAre(SourceSpan{0, 6, String}));
  EXPECT_THAT(lines[1], ElementsAre(SourceSpan{0, 10, String}, SourceSpan{12, 4, Keyword}));
}

TEST(SourceTokens, EndAStringThatIsNotTerminatedWithItsLine) {
  const auto lines = tokensOf("\"open\\\n1", SourceLanguage::Scenario);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], ElementsAre(SourceSpan{0, 6, String}));
  EXPECT_THAT(lines[1], ElementsAre(SourceSpan{0, 1, Number}));
}

}  // namespace
}  // namespace shardlens
