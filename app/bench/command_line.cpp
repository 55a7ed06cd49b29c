#include "app/bench/command_line.h"

#include <CLI/CLI.hpp>

namespace shardlens {
namespace {

constexpr auto kAbout =
    "Measures sharded operators of Shardlens and plain ones of libtorch, with interleaved\n"
    "repetitions. Prints medians, their spread and a table of ratios.\n"
    "With --peers, compares with the real DTensor in a Python process, in alternating samples.\n"
    "Prints medians [quartiles], and whether each target is met. embedding also counts our\n"
    "instructions if valgrind is installed; recording measures the slowdown of each side.\n"
    "journal and query have no peer: they measure writing, reading and querying a large\n"
    "recording. import compares reading another tool's trace with Python's json.load; run\n"
    "measures a run of many ranks, and DuckDB on its Parquet export.";
constexpr auto kNotes =
    "Without --peers, Google Benchmark's own options work too: --benchmark_filter=REGEX,\n"
    "--benchmark_repetitions=N, --benchmark_min_time=SECONDS, --benchmark_list_tests=true.\n"
    "\n"
    "Exit codes: 0 all measured, 1 a measurement failed, 2 the command line or a file is wrong,\n"
    "3 no Python with the full torch was found. journal, query, import and run alone do not need "
    "it.";

}  // namespace

std::variant<PlainOptions, PeerOptions, LoopOptions, MemberOptions, JournalReaderOptions, int>
parseCommandLine(int argc, char** argv) {
  CLI::App app(kAbout, "shardlens-bench");
  PeerOptions options;
  options.python = SHARDLENS_PYTHON;
  bool beside = false;
  auto* peers = app.add_flag("--peers", beside, "Compare with DTensor");
  const std::vector<std::string> all = {"blocks",    "dispatch",     "embedding", "gloo",
                                        "import",    "journal",      "plan",      "query",
                                        "recording", "redistribute", "run"};
  app.add_option("COMPARISON", options.comparisons, "The comparisons to run; default: all")
      ->check(CLI::IsMember(all))
      ->needs(peers);
  app.add_option("--threads", options.threads, "Threads of torch, on both sides; default: 1")
      ->check(CLI::PositiveNumber)
      ->needs(peers);
  app.add_option("--python", options.python, "A Python with the full torch; default: that of .venv")
      ->needs(peers);
  app.add_option("--events", options.events,
                 "Events of the large recording, or of all ranks of the run; default: 10 million")
      ->check(CLI::Range(1, 1'000'000'000))
      ->needs(peers);
  app.add_option("--ranks", options.ranks, "Ranks of the run: 1, 2, 4, 8, ...; default: 64")
      ->check(CLI::Range(1, 4096))
      ->needs(peers);
  auto* json =
      app.add_option("--json", options.json, "Write all samples to a file")->type_name("FILE");
  LoopOptions loop;
  std::vector<std::int64_t> size = {loop.size.rows, loop.size.width, loop.size.ids};
  auto* loops =
      app.add_option("--loop", loop.calls,
                     "Only repeat these calls, for a profiler, and print the memory that they "
                     "used")
          ->check(CLI::IsMember(LookupCase::names()))
          ->excludes(peers)
          ->excludes(json);
  app.add_option("--size", size, "Rows, width and ids of the loop")
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
