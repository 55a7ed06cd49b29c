#include "core/base/pickle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;
using Kind = PickleNode::Kind;

bool isOfTorch(std::string_view name) { return name.starts_with("torch."); }

std::string refusal(const std::string& bytes) {
  try {
    const Pickle pickle(bytes, "a.pickle", {.allowed = isOfTorch});
  } catch (const BadPickle& bad) {
    return bad.what();
  }
  return "read";
}

TEST(PickleTest, AnObjectIsReadAsData) {
  // torch.Size((7, 5)) and an object with the state {"a": 1}, in a tuple
  const Pickle pickle(
      "\x80\x04\x8c\x05torch\x8c\x04Size\x93K\x07K\x05\x86\x85R"
      "ctorch\nThing\n)\x81}(\x8c\x01"
      "aK\x01ub\x86."s,
      "a.pickle", {.allowed = isOfTorch});
  const auto& parts = pickle.root().parts;
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0]->className(), "torch.Size");
  EXPECT_EQ(parts[0]->parts[1]->parts[0]->parts[1]->number, 5);
  EXPECT_EQ(parts[1]->description(), "an object of torch.Thing");
  ASSERT_NE(parts[1]->member("a"), nullptr);
  EXPECT_EQ(parts[1]->member("a")->number, 1);
  EXPECT_EQ(parts[1]->member("b"), nullptr);
}

TEST(PickleTest, NumbersHaveTheirSign) {
  const Pickle pickle(
      "\x80\x02(K\xffM\xff\xffJ\xfe\xff\xff\xff\x8a\x02\x00\x80\x8a\x00\x8b\x01\x00\x00\x00\x7ft."s,
      "a.pickle", {.allowed = isOfTorch});
  std::vector<std::int64_t> numbers;
  for (const auto* part : pickle.root().parts) numbers.push_back(part->number);
  EXPECT_THAT(numbers, testing::ElementsAre(255, 65535, -2, -32768, 0, 127));
}

TEST(PickleTest, NamesOfOtherFunctionsAreRefused) {
  const auto expected =
      "a.pickle: byte 16: got the name posix.system, which Python would load or call, expected "
      "names "
      "that a checkpoint needs";
  EXPECT_EQ(refusal("\x80\x02"
                    "cposix\nsystem\nU\x04true\x85R."s),
            expected);
  EXPECT_THAT(refusal("\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x04true\x85R."s),
              HasSubstr("posix.system"));
  EXPECT_THAT(refusal("\x80\x04\x8c\xff"s + std::string(255, 'a') + "\x8c\xff"s +
                      std::string(255, 'a') + "\x93."s),
              HasSubstr("expected a name of at most 256 bytes"));
}

TEST(PickleTest, MalformedPicklesAreRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("got the end of the pickle"));
  EXPECT_THAT(refusal("\x80\x04K"s),
              HasSubstr("byte 3: got the end of the pickle, expected 1 bytes"));
  EXPECT_THAT(refusal("\x80\x06N."s), HasSubstr("got protocol 6, expected 2 to 5"));
  EXPECT_THAT(refusal("\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\xff."s),
              HasSubstr("expected 18446744073709551615 bytes"));
  EXPECT_THAT(refusal("\x80\x04I1\n."s), HasSubstr("got the instruction 0x49"));
  EXPECT_THAT(refusal("\x80\x04\x8b\xff\xff\xff\x7f."s), HasSubstr("a number of 2147483647 bytes"));
  EXPECT_THAT(refusal("\x80\x04h\x00."s), HasSubstr("a reference to no earlier value"));
  EXPECT_THAT(refusal("\x80\x04N(0."s), HasSubstr("an instruction without its value"));
  EXPECT_THAT(refusal("\x80\x04Nt."s), HasSubstr("an instruction without its mark"));
  EXPECT_THAT(refusal("\x80\x04}(Nu."s), HasSubstr("items for a dictionary"));
  EXPECT_THAT(refusal("\x80\x04N(Ne."s), HasSubstr("items for None"));
  EXPECT_THAT(refusal("\x80\x04NN\x93."s), HasSubstr("a name that is no text"));
}

TEST(PickleTest, AValueMayContainItself) {
  const Pickle pickle(
      "\x80\x04]\x94h\x00"
      "a."s,
      "a.pickle", {.allowed = isOfTorch});
  EXPECT_EQ(pickle.root().parts.at(0), &pickle.root());
}

}  // namespace
}  // namespace shardlens
