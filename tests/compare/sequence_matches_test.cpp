#include "core/compare/sequence_matches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string_view>

namespace shardlens {
namespace {

using Items = std::vector<std::uint64_t>;

Items items(std::string_view letters) { return {letters.begin(), letters.end()}; }

// Checks that the matches are a common subsequence, and returns its length.
std::size_t lengthOf(const Items& left, const Items& right) {
  const auto matches = matchSequences(left, right);
  SequenceMatch least;
  for (const SequenceMatch& match : matches) {
    EXPECT_GE(match.left, least.left);
    EXPECT_GE(match.right, least.right);
    EXPECT_EQ(left.at(match.left), right.at(match.right));
    least = {match.left + 1, match.right + 1};
  }
  return matches.size();
}

std::size_t longest(const Items& left, const Items& right) {
  std::vector<std::size_t> row(right.size() + 1, 0);
  for (const auto item : left) {
    std::size_t corner = 0;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = item == right[j] ? corner + 1 : std::max(above, row[j]);
      corner = above;
    }
  }
  return row.back();
}

TEST(SequenceMatches, OfNothing) {
  EXPECT_EQ(lengthOf({}, {}), 0);
  EXPECT_EQ(lengthOf(items("abc"), {}), 0);
  EXPECT_EQ(lengthOf({}, items("abc")), 0);
  EXPECT_EQ(lengthOf(items("abc"), items("xyz")), 0);
}

TEST(SequenceMatches, AroundInsertionsAndDeletions) {
  EXPECT_EQ(matchSequences(items("abcd"), items("abxcd")),
            (std::vector<SequenceMatch>{{0, 0}, {1, 1}, {2, 3}, {3, 4}}));
  EXPECT_EQ(matchSequences(items("abcd"), items("acd")),
            (std::vector<SequenceMatch>{{0, 0}, {2, 1}, {3, 2}}));
  EXPECT_EQ(lengthOf(items("abcabba"), items("cbabac")), 4);
}

TEST(SequenceMatches, AreAsManyAsCanBe) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const auto drawn = [&] {
      Items all(random() % 40);
      for (auto& item : all) item = random() % 4;
      return all;
    };
    const Items left = drawn();
    const Items right = drawn();
    EXPECT_EQ(lengthOf(left, right), longest(left, right)) << "round " << round;
  }
}

Items numbers(std::uint64_t begin, std::uint64_t end) {
  Items all;
  for (; begin < end; ++begin) all.push_back(begin);
  return all;
}
Items operator+(Items all, const Items& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// The differing stretches are longer than the edit limit of one search.
TEST(SequenceMatches, ContinueAfterAnEntirelyDifferentPart) {
  const Items common = numbers(0, 1000);
  EXPECT_EQ(lengthOf(numbers(10000, 13000) + common, numbers(20000, 23000) + common), 1000);
  EXPECT_EQ(lengthOf(numbers(10000, 15000) + common, common), 1000);
  EXPECT_EQ(lengthOf(common, common + numbers(10000, 15000)), 1000);
  EXPECT_EQ(lengthOf(numbers(10000, 13000), numbers(20000, 23000)), 0);
}

TEST(SequenceMatches, AreFoundBetweenManySmallDifferences) {
  Items left, right;
  for (std::uint64_t i = 0; i < 50000; ++i) {
    left.push_back(i % 10 == 0 ? 100000 + i : i);
    right.push_back(i % 10 == 0 ? 200000 + i : i);
  }
  EXPECT_EQ(lengthOf(left, right), 45000);
}

}  // namespace
}  // namespace shardlens
