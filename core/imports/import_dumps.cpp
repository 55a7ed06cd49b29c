#include "core/imports/import_dumps.h"

#include "core/base/refusal.h"
#include "core/imports/dump_format.h"
#include "core/imports/formats/autoparallel.h"
#include "core/imports/formats/chrome_trace.h"
#include "core/imports/formats/comm_debug_mode.h"
#include "core/imports/formats/debug_mode.h"
#include "core/imports/formats/flight_recording.h"
#include "core/imports/formats/nccl_log.h"
#include "core/imports/imported_rank.h"
#include "core/imports/input/bad_dump.h"
#include "core/imports/rank_files.h"
#include "core/view/words/units.h"

#include <algorithm>
#include <map>
#include <system_error>

namespace shardlens {

namespace fs = std::filesystem;

namespace {

// One call of importDumps(). Methods throw BadDump or Refusal.
class Importer {
 public:
  Importer(const fs::path& into, const Progress& progress) : into_(into), progress_(progress) {}

  ImportReport import(const std::vector<fs::path>& paths);

  // Removes all recordings of this import, after an error or a cancellation.
  void removeAll() {
    std::error_code code;
    recordings_.clear();
    for (const auto& path : made_) fs::remove(path, code);
  }
  // The file that is being read, for error messages.
  const fs::path& current() const { return current_; }

 private:
  std::vector<RankFile> dumpsOf(const std::vector<fs::path>& paths);
  std::unique_ptr<ByteSource> open(const RankFile& file, double begin, double end);
  fs::path pathOf(int rank) const { return into_ / fmt::format("rank-{}.shardlens", rank); }
  ImportedRank& create(int rank);
  void close(const RankFile& file);
  void importTraces(const std::vector<RankFile>& files);
  template <class Import>
  void importEach(const std::vector<RankFile>& files, Import import);
  void importNcclLogs(const std::vector<RankFile>& files);
  void importFlights(const std::vector<RankFile>& files, FlightForm form);
  void note(const fs::path& path, const std::string& text) {
    report_.notes.push_back(path.filename().string() + ": " + text);
  }
  // Returns the fraction of the work that is done before file `number` of `all`.
  static double part(std::size_t number, std::size_t all) {
    return static_cast<double>(number) / static_cast<double>(all);
  }

  fs::path into_;
  Progress progress_;
  fs::path current_;
  std::string format_;
  std::map<int, std::unique_ptr<ImportedRank>> recordings_;  // by rank; open recordings
  std::vector<fs::path> made_;                               // files created so far
  ImportReport report_;
};

std::unique_ptr<ByteSource> Importer::open(const RankFile& file, double begin, double end) {
  current_ = file.path;
  return orRefuse(ByteSource::open(file.path, partOf(progress_, begin, end)));
}

ImportedRank& Importer::create(int rank) {
  const fs::path path = pathOf(rank);
  made_.push_back(path);
  auto& recording = recordings_[rank];
  recording = orRefuse(ImportedRank::create(path, rank, format_));
  return *recording;
}

void Importer::close(const RankFile& file) {
  const auto done = recordings_.extract(file.rank);
  ImportedRank& recording = *done.mapped();
  if (recording.hasLostTexts()) note(file.path, "texts beyond 64 MiB are left out");
  report_.dumps.push_back({.from = file.path,
                           .into = pathOf(file.rank),
                           .format = format_,
                           .rank = file.rank,
                           .events = recording.events()});
  orRefuse(recording.close());
}

void Importer::importTraces(const std::vector<RankFile>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const RankFile& file = files[i];
    const auto header =
        readChromeTraceHeader(*open(file, part(i, files.size()), part(i, files.size())));
    const auto source = open(file, part(i, files.size()), part(i + 1, files.size()));
    ImportedRank& rank = create(file.rank);
    const auto counts = importChromeTrace(*source, header, into_, rank);
    if (counts.leftOut > 0) {
      note(file.path, view::plural(static_cast<std::int64_t>(counts.leftOut), "event") +
                          " of unsupported kinds left out");
    }
    if (counts.unended > 0) {
      note(file.path,
           view::plural(static_cast<std::int64_t>(counts.unended), "span") + " without an end");
    }
    close(file);
  }
}

void Importer::importFlights(const std::vector<RankFile>& files, FlightForm form) {
  FlightGroups groups;
  const std::size_t all = 2 * files.size();
  for (std::size_t i = 0; i < files.size(); ++i) {
    groups.add(files[i].rank, *open(files[i], part(i, all), part(i + 1, all)), form);
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::size_t number = files.size() + i;
    const auto source = open(files[i], part(number, all), part(number + 1, all));
    const auto leftOut = importFlightRecording(*source, form, groups, create(files[i].rank));
    if (leftOut > 0) {
      note(files[i].path, view::plural(leftOut, "collective") +
                              " left out because the buffers of some ranks had dropped them");
    }
    close(files[i]);
  }
  for (const auto& group : groups.guessed()) {
    report_.notes.push_back("group " + group + ": the dumps do not list its members; assumed: " +
                            (groups.isOfAll(group) ? "all ranks" : "the ranks that called it"));
  }
}

template <class Import>
void Importer::importEach(const std::vector<RankFile>& files, Import import) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto source = open(files[i], part(i, files.size()), part(i + 1, files.size()));
    import(*source, create(files[i].rank));
    close(files[i]);
  }
}

// A log may contain several ranks, and a rank may have several logs. All recordings stay open until
// the last log is read.
void Importer::importNcclLogs(const std::vector<RankFile>& files) {
  constexpr std::size_t kMost = 256;  // each has a writer thread and some MiB of buffers
  NcclCommunicators communicators;
  const std::size_t all = 2 * files.size();
  for (std::size_t i = 0; i < files.size(); ++i) {
    communicators.add(*open(files[i], part(i, all), part(i + 1, all)));
  }
  std::map<int, RankFile> begun;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::size_t number = files.size() + i;
    const auto source = open(files[i], part(number, all), part(number + 1, all));
    importNcclLog(*source, communicators, [&](int rank) -> ImportedRank& {
      const auto [known, isNew] = begun.try_emplace(rank, files[i]);
      if (!isNew) return *recordings_.at(rank);
      if (begun.size() > kMost) throw BadDump("got more ranks, expected at most 256 at once");
      known->second.rank = rank;
      return create(rank);
    });
  }
  for (const auto& [rank, file] : begun) close(file);
}

// Lists the dumps and detects their formats. Skips files of a folder that are not dumps, with a
// note.
std::vector<RankFile> Importer::dumpsOf(const std::vector<fs::path>& paths) {
  std::vector<RankFile> files;
  for (const auto& [path, isOfFolder] : listedFiles(paths)) {
    current_ = path;
    try {
      const DumpFormat format =
          dumpFormatOf([&path = path] { return orRefuse(ByteSource::open(path)); });
      files.push_back({path, format, {}, 0});
      if (format == DumpFormat::ChromeTrace) {
        files.back().stated = readChromeTraceHeader(*orRefuse(ByteSource::open(path))).rank;
      }
    } catch (const BadDump& problem) {
      if (!isOfFolder) throw;
      note(path, std::string("left out: ") + problem.what());
    }
  }
  if (files.empty()) throw BadDump("got no dump in it, expected one");
  return files;
}

ImportReport Importer::import(const std::vector<fs::path>& paths) {
  current_ = paths.front();
  auto files = dumpsOf(paths);
  leaveOutCopies(files, report_.notes);
  for (const auto& file : files) {
    if (file.format == files.front().format) continue;
    current_ = file.path;
    throw BadDump("got another kind, " + std::string(formatName(file.format)) + ", expected " +
                  std::string(formatName(files.front().format)) + " as " +
                  files.front().path.string() + ": give the files of one kind");
  }
  // NCCL logs state the rank in each line; a solution covers all ranks.
  const DumpFormat format = files.front().format;
  const bool isOfRanks = format != DumpFormat::NcclLog && format != DumpFormat::AutoParallel;
  if (isOfRanks) orRefuse(nameRanks(files, report_.notes));
  if (format == DumpFormat::AutoParallel && files.size() > 1) {
    current_ = files[1].path;
    throw BadDump("got a second solution, expected one at a time");
  }
  format_ = formatName(files.front().format);
  switch (files.front().format) {
    case DumpFormat::ChromeTrace:
      importTraces(files);
      break;
    case DumpFormat::FlightJson:
      importFlights(files, FlightForm::Json);
      break;
    case DumpFormat::FlightPickle:
      importFlights(files, FlightForm::Pickle);
      break;
    case DumpFormat::DebugModeText:
      importEach(files, importDebugModeText);
      break;
    case DumpFormat::DebugModeJson:
      importEach(files, importDebugModeJson);
      break;
    case DumpFormat::CommDebugMode:
      importEach(files, importCommDebugMode);
      break;
    case DumpFormat::AutoParallel:
      importEach(files, importAutoParallel);
      break;
    case DumpFormat::NcclLog:
      importNcclLogs(files);
      break;
  }
  if (progress_) progress_(1);
  return std::move(report_);
}

// Creates the folder if needed. Returns an error if it contains recordings.
Result<void> makeEmpty(const fs::path& into) {
  std::error_code code;
  fs::create_directories(into, code);
  for (fs::directory_iterator each(into, code), end; !code && each != end; each.increment(code)) {
    if (each->path().extension() == ".shardlens") {
      return fail(into.string() + ": got a folder with recordings, for example " +
                  each->path().filename().string() + ", expected one without");
    }
  }
  if (code) return fail(into.string() + " cannot be a folder of recordings: " + code.message());
  return {};
}

}  // namespace

Result<ImportReport> importDumps(const std::vector<fs::path>& paths, const fs::path& into,
                                 const Progress& progress) {
  if (paths.empty()) return fail("got nothing to import, expected a file");
  if (auto made = makeEmpty(into); !made) return tl::unexpected(made.error());
  Importer importer(into, progress);
  try {
    return importer.import(paths);
  } catch (const BadDump& problem) {
    importer.removeAll();
    return fail(importer.current().string() + ": " + problem.what());
  } catch (const Refusal& refused) {
    importer.removeAll();
    return fail(refused.what());
  } catch (...) {  // thrown by `progress`
    importer.removeAll();
    throw;
  }
}

}  // namespace shardlens
