#include "app/cli/recording_answer.h"

#include "app/cli/output.h"
#include "core/model/rank_selector.h"
#include "core/query/language/event_filter.h"
#include "core/query/language/query_steps.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/limits_record.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace shardlens::cli {

namespace {

namespace fs = std::filesystem;

std::uintmax_t bytesOf(const std::vector<fs::path>& files) {
  std::uintmax_t bytes = 0;
  const auto add = [&](const fs::path& file) {
    std::error_code failed;
    const auto size = fs::file_size(file, failed);
    if (!failed) bytes += size;
  };
  for (const auto& file : files) {
    std::error_code failed;
    if (!fs::is_directory(file, failed)) add(file);
    for (fs::directory_iterator each(file, failed), end; !failed && each != end;
         each.increment(failed)) {
      if (each->path().extension() == ".shardlens") add(each->path());
    }
  }
  return bytes;
}

Result<std::unique_ptr<TraceReader>> settled(Result<std::unique_ptr<TraceReader>> reader) {
  if (reader) {
    while ((*reader)->settle()) continue;
  }
  return reader;
}

// Prints that only some steps were opened.
void reportSteps(const TraceReader& reader) {
  fmt::print(stderr, "shardlens: {}\n", readLimits(reader.journal().meta(kLimitsKey)).front());
}

}  // namespace

Result<std::unique_ptr<TraceReader>> openWhole(const std::vector<fs::path>& files,
                                               const std::vector<RankRange>& steps) {
  auto reader = settled(TraceReader::open(files, steps));
  if (!reader || steps.empty()) return reader;
  if ((*reader)->journal().size() == 0) {
    return fail("--steps: " + files.front().string() + " has no events of these steps");
  }
  reportSteps(**reader);
  return reader;
}

std::vector<RankRange> stepsOfText(const std::string& query) {
  const auto terms = parseQuery(query);
  return terms ? stepsOf(*terms) : std::vector<RankRange>();
}

Result<std::unique_ptr<TraceReader>> openNeeded(
    const std::vector<fs::path>& files, const std::vector<RankRange>& steps,
    const std::function<std::vector<RankRange>()>& needed) {
  if (!steps.empty() || bytesOf(files) < kLarge) return openWhole(files, steps);
  const auto selected = needed();
  if (selected.empty()) return openWhole(files);
  auto reader = settled(TraceReader::open(files, selected));
  // As of an earlier format, of which only all steps can be read.
  if (!reader) return openWhole(files);
  if ((*reader)->journal().size() > 0) reportSteps(**reader);
  return reader;
}

tl::expected<Query, QueryMistake> parseTerms(const std::string& query, const Journal& journal) {
  auto terms = parseQuery(query, journal);
  if (!terms || !journal.isPart()) return terms;
  const auto ofId = std::ranges::find(*terms, "id", &Term::field);
  if (ofId == terms->end()) return terms;
  return tl::unexpected(
      QueryMistake{ofId->at, ofId->length, "got id with --steps, expected the whole recording"});
}

void reportIds(const Journal& journal, const char* subject) {
  if (!journal.isPart()) return;
  fmt::print(stderr, "shardlens: {} numbers events from 1 within the opened steps\n", subject);
}

Result<std::vector<RankRange>> selectedRanks(const std::string& option, const Journal& journal) {
  auto ranks = selectRanks(option, recordedMesh(journal));
  if (!ranks) return fail("--ranks: " + ranks.error().message);
  return ranks;
}

Result<Query> ranksTerm(const std::string& option, const Journal& journal) {
  if (option.empty()) return Query();
  const auto ranks = selectedRanks(option, journal);
  if (!ranks) return tl::unexpected(ranks.error());
  Term term{.field = "rank"};
  for (const auto& [first, last] : *ranks) {
    term.values.push_back(std::to_string(first) + "-" + std::to_string(last));
  }
  return Query{std::move(term)};
}

Result<void> expectOther(const std::filesystem::path& to,
                         const std::vector<std::filesystem::path>& files) {
  std::error_code failed;
  const auto refused = [&] {
    return fail("--to: got " + to.string() + ", expected a file that is not read");
  };
  for (const auto& file : files) {
    if (fs::equivalent(to, file, failed)) return refused();
    if (!fs::is_directory(file, failed)) continue;
    for (fs::directory_iterator each(file, failed), end; !failed && each != end;
         each.increment(failed)) {
      std::error_code gone;
      if (each->path().extension() == ".shardlens" && fs::equivalent(to, each->path(), gone)) {
        return refused();
      }
    }
    const fs::path folder = fs::absolute(to, failed).parent_path();
    if (to.extension() == ".shardlens" && fs::equivalent(folder, file, failed)) {
      return fail("--to: got " + to.string() + ", expected a file outside of " + file.string() +
                  ", because a folder opens as one run");
    }
  }
  return {};
}

int finishAnswer(const TraceReader& reader, int exitCode) {
  return finishOutput(reportLeftOut(reader.leftOut()) ? std::max(exitCode, kRefused) : exitCode);
}

}  // namespace shardlens::cli
