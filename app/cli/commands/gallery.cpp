#include "app/cli/commands.h"
#include "app/cli/ink.h"
#include "app/cli/installed_files.h"
#include "core/trace/merge/trace_reader.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <vector>

namespace shardlens::cli {
namespace {

constexpr auto kOnTheGallery =
    "  shardlens gallery\n"
    "  shardlens run $(shardlens gallery 5)\n"
    "\n"
    "Exit codes: 0 found, 1 the gallery has no such entry, 2 the command line is wrong or the\n"
    "gallery is not installed.";

struct GalleryOptions {
  std::string name;  // a number or a part of the name; empty lists all
  Output output = Output::Words;
};

// A scenario of the gallery, or a folder with the recordings of a run's processes.
struct Exhibit {
  std::filesystem::path path;
  std::string title;
  std::string mesh;  // "2x2"
  std::size_t steps = 0;
};

// Returns the JSON text of a scenario. A recording stores its title and notes as a scenario without
// steps.
std::string scenarioOf(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    const auto reader = TraceReader::open(path);
    return reader ? std::string((*reader)->journal().meta("scenario")) : std::string();
  }
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Exhibit exhibitOf(const std::filesystem::path& path) {
  const auto json =
      nlohmann::json::parse(scenarioOf(path), nullptr, false, /*ignore_comments=*/true);
  if (!json.is_object()) return {.path = path, .title = "not a scenario", .mesh = {}};
  std::string mesh;
  for (const auto& size : json.value("/mesh/shape"_json_pointer, nlohmann::json::array())) {
    mesh += (mesh.empty() ? "" : "x") + size.dump();
  }
  return {.path = path,
          .title = json.value("title", path.stem().string()),
          .mesh = mesh,
          .steps = json.value("steps", nlohmann::json::array()).size()};
}

// Returns true if the name is the exhibit's number ("5" for 05-pending-lookups-and-their-masks) or
// a part of its file name.
bool isCalled(const std::filesystem::path& path, const std::string& name) {
  const std::string stem = path.stem().string();
  const bool isNumber = name.find_first_not_of("0123456789") == std::string::npos;
  return isNumber ? stem.starts_with(fmt::format("{:0>2}-", name))
                  : stem.find(name) != std::string::npos;
}

std::string lengthOf(const Exhibit& exhibit) {
  return exhibit.steps == 0 ? "a recording" : fmt::format("{} steps", exhibit.steps);
}

void print(const Exhibit& exhibit, const GalleryOptions& options) {
  if (options.output == Output::Json) {
    printJson({{"path", exhibit.path.string()},
               {"title", exhibit.title},
               {"mesh", exhibit.mesh},
               {"steps", exhibit.steps}});
  } else if (!options.name.empty()) {
    std::cout << exhibit.path.string() << '\n';
  } else {
    const Ink ink = Ink::forTerminal();
    std::cout << fmt::format("{:<40}  ", exhibit.path.stem().string()) << exhibit.title
              << ink.dim(fmt::format("  {} ranks, {}", exhibit.mesh, lengthOf(exhibit))) << '\n';
  }
}

int gallery(const GalleryOptions& options) {
  const auto folder = galleryFolder();
  if (folder.empty()) return unusable("gallery: it is not installed next to this program");
  bool any = false;
  for (const auto& path : galleryEntries(folder)) {
    if (!options.name.empty() && !isCalled(path, options.name)) continue;
    print(exhibitOf(path), options);
    any = true;
  }
  const int exitCode =
      any ? kAllRan
          : reportNoMatch("the gallery has no entry called " + options.name, options.output);
  return finishOutput(exitCode);
}

}  // namespace

void addGallery(CommandLine& line) {
  const auto options = std::make_shared<GalleryOptions>();
  CLI::App& command =
      line.add("gallery", "List the scenarios and recordings that come with the program",
               [options] { return gallery(*options); });
  command.add_option("NAME", options->name, "A number or a part of a name: prints its path");
  addJson(command, options->output, "Print one JSON object per entry");
  command.footer(kOnTheGallery);
}

}  // namespace shardlens::cli
