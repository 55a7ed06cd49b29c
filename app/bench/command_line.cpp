#include "app/bench/command_line.h"

#include <CLI/CLI.hpp>

namespace shardlens {
namespace {

constexpr auto kAbout =
    "Measures Shardlens beside plain libtorch: sharded operators and plain ones, repetitions\n"
    "interleaved; medians, their spread and a table of ratios.\n"
    "With --peers, beside the real DTensor, which a Python process holds: samples in turns,\n"
    "medians [quartiles], and whether what is aimed at is met. Of lookups our instructions too,\n"
    "where there is valgrind; of recording, what it slows each side down.\n"
    "journal and query are ours alone: what writing and reading a large recording costs, and\n"
    "asking it; import reads a trace of another tool's beside Python's json.load.";
constexpr auto kNotes =
    "Without --peers, Google Benchmark's own options work too: --benchmark_filter=REGEX,\n"
    "--benchmark_repetitions=N, --benchmark_min_time=SECONDS, --benchmark_list_tests=true.\n"
    "\n"
    "Exit codes: 0 all measured, 1 a measurement failed, 2 the command line or a file is wrong,\n"
    "3 the peers are left out, because there is no Python with the full torch; journal,\n"
    "query and import, asked for by themselves, need none.";

}  // namespace

std::variant<PlainOptions, PeerOptions, LoopOptions, MemberOptions, JournalReaderOptions, int>
parseCommandLine(int argc, char** argv) {
  CLI::App app(kAbout, "shardlens-bench");
  PeerOptions options;
  options.python = SHARDLENS_PYTHON;
  bool beside = false;
  auto* peers = app.add_flag("--peers", beside, "Measure beside DTensor");
  const std::vector<std::string> all = {"blocks",    "dispatch",    "embedding", "gloo",
                                        "import",    "journal",     "plan",      "query",
                                        "recording", "redistribute"};
  app.add_option("COMPARISON", options.comparisons, "Some of them; all where none is named")
      ->check(CLI::IsMember(all))
      ->needs(peers);
  app.add_option("--threads", options.threads, "Of torch, on both sides (1 where left out)")
      ->check(CLI::PositiveNumber)
      ->needs(peers);
  app.add_option("--python", options.python, "One with the full torch (.venv's where left out)")
      ->needs(peers);
  app.add_option("--events", options.events, "Of the large recording (10 million where left out)")
      ->check(CLI::Range(1, 1'000'000'000))
      ->needs(peers);
  auto* json =
      app.add_option("--json", options.json, "Write all samples to a file")->type_name("FILE");
  LoopOptions loop;
  std::vector<std::int64_t> size = {loop.size.rows, loop.size.width, loop.size.ids};
  auto* loops =
      app.add_option("--loop", loop.calls,
                     "Make these calls some times each and nothing else, for a profiler; says "
                     "how much memory that took")
          ->check(CLI::IsMember(LookupCase::names()))
          ->excludes(peers)
          ->excludes(json);
  app.add_option("--size", size, "Of the loop: rows, width and ids")
      ->expected(3)
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->needs(loops);
  bool member = false;  // internal: a member of a Team
  app.add_flag("--member", member)->group("");
  JournalReaderOptions reader;  // internal, too
  app.add_option("--read", reader.path)->group("");
  app.footer(kNotes);
  app.allow_extras();
  try {
    app.parse(argc, argv);
    for (const auto& extra : app.remaining()) {
      if (!beside && loop.calls.empty() && extra.starts_with("--benchmark_")) continue;
      throw CLI::ExtrasError("shardlens-bench", {extra});
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (member) return MemberOptions();
  if (!reader.path.empty()) return reader;
  if (beside) {
    if (options.comparisons.empty()) options.comparisons = all;
    return options;
  }
  if (!loop.calls.empty()) {
    loop.size = {size[0], size[1], size[2]};
    return loop;
  }
  PlainOptions plain{app.remaining()};
  if (!options.json.empty()) {
    plain.benchmarkOptions.push_back("--benchmark_out=" + options.json);
    plain.benchmarkOptions.emplace_back("--benchmark_out_format=json");
  }
  return plain;
}

}  // namespace shardlens
