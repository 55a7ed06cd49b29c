#include "app/bench/loop.h"

#include "app/bench/process_memory.h"
#include "app/bench/temporary_folder.h"

#include <c10/core/GradMode.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

constexpr int kCalls = 4;  // that are counted

}  // namespace

// callgrind counts the instructions in this function, which it finds by name.
extern "C" __attribute__((noinline)) void shardlensCountedCalls(shardlens::LookupCase& lookups,
                                                                const std::string& name) {
  for (int i = 0; i < kCalls; ++i) lookups.call(name);
}

namespace shardlens {
namespace {

namespace fs = std::filesystem;

// Runs this program on the loop, with the command prefix `runner`. Returns its output. Fails if its
// exit code is not 0.
Result<std::string> outputOf(const std::string& runner, const LoopOptions& loop) {
  const auto& [rows, width, ids] = loop.size;
  std::string command = runner + "'" + fs::read_symlink("/proc/self/exe").string() + "' --size " +
                        std::to_string(rows) + " " + std::to_string(width) + " " +
                        std::to_string(ids) + " --loop";
  for (const auto& call : loop.calls) command += " " + call;
  command += " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return fail("cannot run " + command);
  std::string output;
  std::array<char, 4096> chunk{};
  while (const auto count = std::fread(chunk.data(), 1, chunk.size(), pipe)) {
    output.append(chunk.data(), count);
  }
  if (pclose(pipe) != 0) return fail(command + ": " + output);
  return output;
}

// Returns the number that follows `words` in `text`.
Result<double> numberAfter(const std::string& words, const std::string& text) {
  const auto at = text.find(words);
  if (at == std::string::npos) return fail("got \"" + text + "\", expected " + words);
  return std::stod(text.substr(at + words.size()));
}

constexpr auto kPeak = "peak MiB: ";

}  // namespace

void runLoop(const LoopOptions& loop) {
  const c10::NoGradGuard noGrad;
  LookupCase lookups(loop.size);
  for (const auto& call : loop.calls) {
    lookups.call(call);
    shardlensCountedCalls(lookups, call);
  }
  std::printf("%s%.1f\n", kPeak, peakMiB());
}

Result<double> peakMiBOf(const LoopOptions& loop) {
  return outputOf("", loop).and_then(
      [](const std::string& output) { return numberAfter(kPeak, output); });
}

Result<std::vector<double>> instructionsOf(const LoopOptions& loop) {
  const TemporaryFolder folder;
  const auto counts = (folder.path() / "counts").string();
  const auto output = outputOf(
      "valgrind --tool=callgrind --collect-atstart=no "
      "--toggle-collect=shardlensCountedCalls "
      "--dump-after=shardlensCountedCalls --callgrind-out-file='" +
          counts + "' ",
      loop);
  if (!output) return tl::unexpected(output.error());
  std::vector<double> all;
  for (std::size_t i = 1; i <= loop.calls.size(); ++i) {
    std::ifstream file(counts + "." + std::to_string(i));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto total = numberAfter("totals: ", text);
    if (!total) return tl::unexpected(total.error());
    all.push_back(*total / kCalls);
  }
  return all;
}

}  // namespace shardlens
