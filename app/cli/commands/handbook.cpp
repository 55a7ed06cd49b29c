#include "app/cli/commands.h"
#include "app/cli/installed_files.h"
#include "app/cli/recording_answer.h"
#include "core/base/json_text.h"
#include "core/exports/export_formats.h"
#include "core/handbook/handbook_site.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <spawn.h>

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <iostream>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>

namespace shardlens::cli {
namespace {

namespace fs = std::filesystem;

constexpr auto kOnTheHandbook =
    "  shardlens handbook --to handbook\n"
    "\n"
    "The engine runs each scenario of the gallery, which takes a second each. Open index.html in\n"
    "any browser; the pages load nothing from the network.\n"
    "\n"
    "Exit codes: 0 everything was written, 1 something was left out, 2 the command line is wrong,\n"
    "the handbook is not installed, or a file cannot be written.";

struct HandbookOptions {
  fs::path to;
  bool skipsGallery = false;
  Output output = Output::Words;
};

// A folder for temporary files, removed by the destructor.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "shardlens-handbook-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~ScratchFolder() {
    std::error_code failed;
    if (!path_.empty()) fs::remove_all(path_, failed);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }  // empty if it could not be created

 private:
  fs::path path_;
};

// Runs a program without input and output and waits for its end. Returns false if it cannot be
// started.
bool runSilently(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_RDWR, 0);
  }
  pid_t process = 0;
  const int failed =
      ::posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return false;
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return true;
}

// Returns the recording of a gallery entry: the entry itself if it is a folder of recordings, else
// the recording of a run of the scenario. A scenario that is refused also has one.
Result<fs::path> recordingOf(const fs::path& entry, const fs::path& scratch) {
  if (fs::is_directory(entry)) return entry;
  const auto engine = programFile("shardlens-engine");
  if (engine.empty()) return fail("shardlens-engine, which runs scenarios, was not built");
  const auto recording = scratch / (entry.stem().string() + ".shardlens");
  runSilently({engine.string(), "run", "--record", recording.string(), entry.string()});
  if (!fs::exists(recording)) return fail("the engine could not run it");
  return recording;
}

Result<GalleryPage> writeGalleryPage(const fs::path& entry, const fs::path& to,
                                     const fs::path& scratch) {
  const auto recording = recordingOf(entry, scratch);
  if (!recording) return tl::unexpected(recording.error());
  const auto reader = openWhole({*recording});
  if (!reader) return tl::unexpected(reader.error());
  const auto& journal = (*reader)->journal();
  const auto formats = exportFormats();
  const auto html = std::find_if(formats.begin(), formats.end(),
                                 [](const ExportFormat& format) { return format.name == "html"; });
  const std::string name = entry.stem().string();
  const auto written = exportTo(to / "gallery" / (name + ".html"), *html, journal, {});
  if (!written) return tl::unexpected(written.error());
  const auto scenario = parsedJson(std::string(journal.meta("scenario")), Comments::Allowed);
  const auto title = scenario.is_object() ? textOf(scenario, "title") : std::string();
  return GalleryPage{name, title.empty() ? name : title};
}

void print(const HandbookOptions& options, const HandbookSite& site, std::size_t galleryPages) {
  if (options.output == Output::Json) {
    printJson({{"path", options.to.string()},
               {"pages", site.pages},
               {"gallery_pages", galleryPages},
               {"left_out", site.leftOut}});
  } else {
    std::cout << fmt::format("{}: {} pages, {} gallery pages\n",
                             (options.to / "index.html").string(), site.pages, galleryPages);
  }
}

int handbook(const HandbookOptions& options) {
  const auto root = handbookRoot();
  if (root.empty()) return unusable("handbook: it is not installed next to this program");
  std::error_code failed;
  fs::create_directories(options.to / "gallery", failed);
  if (failed)
    return unusable("--to: cannot create " + options.to.string() + ": " + failed.message());
  const ScratchFolder scratch;
  if (scratch.path().empty()) return unusable("cannot create a folder for temporary files");

  std::vector<GalleryPage> gallery;
  std::vector<std::string> leftOut;
  const auto folder = options.skipsGallery ? fs::path() : galleryFolder();
  if (!folder.empty()) {
    for (const auto& entry : galleryEntries(folder)) {
      auto page = writeGalleryPage(entry, options.to, scratch.path());
      if (page) {
        gallery.push_back(*page);
      } else {
        leftOut.push_back(entry.filename().string() + ": " + page.error().message);
      }
    }
  }
  auto site = writeHandbookSite(root, options.to, gallery);
  if (!site) return unusable(site.error().message);
  site->leftOut.insert(site->leftOut.end(), leftOut.begin(), leftOut.end());
  print(options, *site, gallery.size());
  return finishOutput(reportLeftOut(site->leftOut) ? kRefused : kAllRan);
}

}  // namespace

void addHandbook(CommandLine& line) {
  const auto options = std::make_shared<HandbookOptions>();
  CLI::App& command = line.add("handbook", "Write the handbook and the gallery as HTML",
                               [options] { return handbook(*options); });
  command.add_option("--to", options->to, "The folder to write; existing files are replaced")
      ->required()
      ->type_name("DIR");
  command.add_flag("--without-gallery", options->skipsGallery,
                   "Do not run the gallery; its pages are left out");
  addJson(command, options->output, "Print one JSON object");
  command.footer(kOnTheHandbook);
}

}  // namespace shardlens::cli
