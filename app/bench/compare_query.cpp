#include "app/bench/comparisons.h"
#include "app/bench/journal_case.h"
#include "app/bench/program_cost.h"
#include "app/bench/samples.h"
#include "app/bench/temporary_folder.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cstdio>

namespace shardlens {
namespace {

using nlohmann::json;

constexpr int kSamples = 5;

// A command of `shardlens`, with its target.
struct Question {
  const char* name;
  std::vector<std::string> words;  // its arguments
  double most = 0;                 // seconds; 0: no target
};

Result<json> measure(const Question& question) {
  Samples seconds, memory;
  for (int i = 0; i < kSamples; ++i) {
    const auto answered = costOf("shardlens", question.words);
    if (!answered) return tl::unexpected(answered.error());
    seconds.add(answered->processor);
    memory.add(answered->MiB);
  }
  fmt::print("    {:<44} {:>24} {:>6} MiB", question.name, seconds.text(2),
             fmt::format("{:.0f}", memory.median()));
  if (question.most > 0) {
    fmt::print(" {:>4} at most, {}", question.most,
               seconds.median() <= question.most ? "met" : "MISSED");
  }
  fmt::print("\n");
  std::fflush(stdout);
  return json{{"what", question.name}, {"s", seconds.median()}, {"MiB", memory.median()}};
}

}  // namespace

Result<json> compareQuery(EventId events) {
  const TemporaryFolder folder;
  const auto run = (folder.path() / "run.shardlens").string();
  const auto before = (folder.path() / "before.shardlens").string();
  const auto after = (folder.path() / "after.shardlens").string();
  const JournalCase loop{.name = "a training loop"};
  const JournalCase changed{.name = "with one more embedding", .embeddings = 2};
  for (const auto& [of, count, path] :
       {std::tuple(&loop, events, &run), std::tuple(&loop, events / 10, &before),
        std::tuple(&changed, events / 10, &after)}) {
    if (const auto written = recordJournal(*of, count, *path); !written) {
      return tl::unexpected(written.error());
    }
  }
  fmt::print(
      "\nqueries of a recording of {} events, and two of {}; the whole program, processor "
      "seconds, median [quartiles], and its memory\n",
      events, events / 10);
  json samples = json::array();
  for (const Question& question :
       {Question{"query step:4000", {"query", "step:4000", run}, 1},
        Question{
            "query \"bytes>1GB -op:mm time>1s\"", {"query", "bytes>1GB -op:mm time>1s", run}, 3},
        Question{"query, SQL: count by kind",
                 {"query", "SELECT kind, count(*) FROM events GROUP BY kind", run}},
        Question{"problems", {"problems", run}}, Question{"info", {"info", run}},
        Question{"diff of the two", {"diff", before, after}, 5}}) {
    auto sample = measure(question);
    if (!sample) return sample;
    samples.push_back(std::move(*sample));
  }
  return samples;
}

}  // namespace shardlens
