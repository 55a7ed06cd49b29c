#include "core/loading/stored_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace shardlens {
namespace {

// Returns the name of the tensor that is found, or "none".
std::string found(const std::vector<std::string>& stored, const std::string& name) {
  Checkpoint checkpoint;
  for (const auto& each : stored) checkpoint.tensors.emplace_back().name = each;  // sorted
  const auto* const tensor = StoredNames(checkpoint).find(name);
  return tensor == nullptr ? "none" : tensor->name;
}

TEST(StoredNames, PreferTheEqualName) {
  EXPECT_EQ(found({"b", "model.b", "net.model.b"}, "model.b"), "model.b");
}

TEST(StoredNames, FindTheOnlyEnding) {
  EXPECT_EQ(found({"a.c", "model.a.b", "x"}, "a.b"), "model.a.b");
  EXPECT_EQ(found({"a.b", "c"}, "model.net.a.b"), "a.b");
  EXPECT_EQ(found({"xa.b"}, "a.b"), "none");
  EXPECT_EQ(found({"a.b"}, "xa.b"), "none");
  EXPECT_EQ(found({"a.b."}, "a.b"), "none");
}

TEST(StoredNames, FindNoneOfSeveralEndings) {
  EXPECT_EQ(found({"m.a.b", "n.a.b"}, "a.b"), "none");
  EXPECT_EQ(found({"a.b", "b"}, "m.a.b"), "none");
  EXPECT_EQ(found({"b", "n.m.a.b"}, "m.a.b"), "none");
}

TEST(StoredNames, IgnoreLongEndings) {
  const std::string most(StoredNames::kMostEnding, 'w'), more = most + "w";
  EXPECT_EQ(found({"a." + most}, most), "a." + most);
  EXPECT_EQ(found({"a." + more}, more), "none");
  EXPECT_EQ(found({most}, "a." + most), most);
  EXPECT_EQ(found({more}, "a." + more), "none");
}

}  // namespace
}  // namespace shardlens
