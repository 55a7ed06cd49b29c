#pragma once

#include "core/session/session.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace shardlens {

// Row-wise embedding on a 2x2 mesh, forward and backward. The example of the scenario format.
inline constexpr std::string_view kRowWise = R"json({
  "shardlens": 1,
  "mesh": {"shape": [2, 2], "names": ["dp", "tp"]},
  "masking": "stepwise",
  "steps": [
    {"id": "w", "call": "tensor", "fill": "arange", "shape": [10, 3],
     "placements": ["R", "S(0)"], "requires_grad": true
},
    {"id": "x", "call": "tensor", "data": [0, 9, 4, 4, 2, 7], "dtype": "int64",
     "placements": ["S(0)", "R"]},
    {"id": "y", "call": "aten.embedding", "args": ["$w", "$x"]},
    {"id": "z", "call": "redistribute", "args": ["$y"], "placements": ["S(0)", "R"]},
    {"id": "l", "call": "aten.sum", "args": ["$z"]},
    {"call": "backward", "args": ["$l"]},
    {"id": "g", "call": "grad", "args": ["$w"]}
  ]
})json";

// Parses a scenario. Fails the test if it is invalid.
inline Scenario scenario(std::string_view text) {
  auto parsed = parseScenario(text, "test.json");
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return *parsed;
}

// Runs these steps on a mesh of two ranks and returns the answer.
inline nlohmann::ordered_json answerTo(const std::string& steps) {
  Session session(
      scenario(R"json({"shardlens": 1, "mesh": {"shape": [2]}, "steps": [)json" + steps + "]}"),
      {});
  while (session.step()) {
  }
  return session.answer();
}

}  // namespace shardlens
