#include "core/imports/input/json_reader.h"

#include "core/imports/input/bad_dump.h"
#include "tests/imports/imported.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

class JsonReaderTest : public ::testing::Test {
 protected:
  template <class Read>
  auto read(std::string_view text, Read how) {
    const auto source = ByteSource::open(written(folder_, "a.json", text)).value();
    JsonReader json(*source);
    return how(json);
  }
  // Returns the error of skipping the whole text, or "read".
  std::string refusal(std::string_view text) {
    try {
      read(text, [](JsonReader& json) {
        json.skip();
        json.end();
        return 0;
      });
    } catch (const BadDump& problem) {
      return problem.what();
    }
    return "read";
  }
  std::string text(std::string_view json) {
    return read(json, [](JsonReader& reader) { return std::string(reader.text()); });
  }

  ScratchFolder folder_;
};

TEST_F(JsonReaderTest, EscapesAreRead) {
  EXPECT_EQ(text(R"("a\"\\\/\n\u0041\u00e9\u20ac\ud83d\ude00z")"),
            "a\"\\/\nA\u00e9\u20ac\U0001F600z");
  EXPECT_EQ(text(R"("\ud83dx")"), "\uFFFDx");
}

// Tokens that cross the border of two read windows, at every offset.
TEST_F(JsonReaderTest, WindowsDoNotShow) {
  constexpr std::size_t kWindow = std::size_t{1} << 20;
  for (std::size_t before = kWindow - 24; before < kWindow + 4; ++before) {
    const std::string text =
        "[\"" + std::string(before - 4, 'x') + R"(", "a\u0041b", 1234, true, {"k": [1]}])";
    read(text, [&](JsonReader& json) {
      std::vector<std::string> all;
      json.list([&] { all.push_back(all.empty() ? (json.skip(), "") : json.asText()); });
      json.end();
      EXPECT_EQ(all, (std::vector<std::string>{"", "aAb", "1234", "true", "{...}"})) << before;
      return 0;
    });
  }
}

TEST_F(JsonReaderTest, NorDoTheyInKeys) {
  constexpr std::size_t kWindow = std::size_t{1} << 20;
  const std::string after = std::string(kWindow, 'y') + "\"}";
  for (std::size_t before = kWindow - 36; before < kWindow + 2; ++before) {
    const std::string text = R"({"pad":")" + std::string(before - 8, 'x') +
                             R"(","a\u0041" :  1,"key": 2,"last":)" + "\n\"" + after;
    read(text, [&](JsonReader& json) {
      std::vector<std::string> keys;
      json.object([&](std::string_view key) {
        const bool isText = json.kind() == JsonReader::Kind::Text;
        EXPECT_EQ(isText, key == "pad" || key == "last");
        keys.emplace_back(key);
        json.skip();
      });
      EXPECT_EQ(keys, (std::vector<std::string>{"pad", "aA", "key", "last"})) << before;
      return 0;
    });
  }
}

TEST_F(JsonReaderTest, TextsOfAnyLengthAreSkippedButNotRead) {
  const std::string text = '"' + std::string(std::size_t{3} << 20, 'x') + '"';
  EXPECT_EQ(refusal(text), "read");
  EXPECT_THROW(this->text(text), BadDump);
}

TEST_F(JsonReaderTest, BracketsInTextsAreNone) {
  for (std::size_t before = 0; before < 130; ++before) {
    const std::string text =
        R"([{"a": ")" + std::string(before, '}') + R"(\\\"]", "b": [{}, "{"]}, "[", 7])";
    EXPECT_EQ(refusal(text), "read") << before;
    EXPECT_THAT(refusal(text.substr(0, text.size() - 1)), ::testing::HasSubstr("got the end"))
        << before;
    EXPECT_THAT(refusal(text.substr(0, text.size() - 5) + "}"), ::testing::HasSubstr("expected"))
        << before;
  }
}

TEST_F(JsonReaderTest, ReportsWhereGotAndExpected) {
  EXPECT_EQ(refusal(R"({"a": [1, 2})"), R"(byte 11: got "}", expected "]")");
  EXPECT_EQ(refusal(R"({"a": "b)"), "byte 8: got the end, expected the end of a text");
  EXPECT_EQ(refusal("nul"), R"(byte 0: got "nul", expected a JSON value)");
  EXPECT_EQ(refusal("[] x"), R"(byte 3: got "x", expected the end)");
  EXPECT_EQ(refusal(""), "byte 0: got the end, expected a JSON value");
  EXPECT_EQ(refusal(std::string(200, '[')),
            "byte 100: got \"[[[[[[[[[[[[\", expected at most 100 levels of nesting");
}

TEST_F(JsonReaderTest, NumbersBeyondTheTypeAreItsLimit) {
  const auto integer = [&](std::string_view text) {
    return read(text, [](JsonReader& json) { return json.integer(); });
  };
  EXPECT_EQ(integer("-12.9"), -12);
  EXPECT_EQ(integer("99999999999999999999"), std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace shardlens
