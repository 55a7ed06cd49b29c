#include "core/exports/export_formats.h"

#include "core/exports/assertions.h"
#include "core/exports/chrome_trace.h"
#include "core/exports/csv.h"
#include "core/exports/html_page.h"
#include "core/exports/reproduction.h"
#include "core/exports/safetensors.h"
#include "core/exports/step_events.h"
#include "core/exports/step_markdown.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace shardlens {
namespace {

namespace fs = std::filesystem;

using LeftOut = Result<std::vector<std::string>>;

LeftOut whole(const Result<void>& written) {
  return written.map([] { return std::vector<std::string>(); });
}

LeftOut text(const Result<std::string>& written, std::ostream& out) {
  return written.map([&](const std::string& all) {
    out << all;
    return std::vector<std::string>();
  });
}

LeftOut writeTable(const Journal& journal, const ExportPart& part, std::ostream& out) {
  const std::string table = part.table.empty() ? "events" : part.table;
  const auto known = csvTables();
  const bool hasAll = std::any_of(known.begin(), known.end(), [&](const CsvTable& one) {
    return one.name == table && !one.isOfPosition;
  });
  if (!part.step) return whole(writeCsv(journal, table, journal.size(), out, part.notation));
  if (hasAll) return fail("the table " + table + " is of the whole run: omit the step");
  return stepEvents(journal, *part.step).and_then([&](const StepEvents& events) {
    return whole(writeCsv(journal, table, events.last, out, part.notation));
  });
}

using enum ExportSteps;

constexpr std::array kFormats = {
    ExportFormat{"trace", ".json", "for Perfetto and chrome://tracing, one lane per rank", All,
                 [](const Journal& journal, const ExportPart& part, std::ostream& out) {
                   return whole(writeChromeTrace(journal, out, part.notation, part.ranks));
                 }},
    ExportFormat{"csv", ".csv", "a table, for a spreadsheet", AllOrOne, writeTable},
    ExportFormat{"markdown", ".md", "a step, for pasting into an issue", One,
                 [](const Journal& journal, const ExportPart& part, std::ostream& out) {
                   return text(stepMarkdown(journal, *part.step, part.notation), out);
                 }},
    ExportFormat{"safetensors", ".safetensors", "the values of the ranks after a step, \"rank0/y\"",
                 One,
                 [](const Journal& journal, const ExportPart& part, std::ostream& out) {
                   return writeSafetensors(journal, *part.step, out);
                 }},
    ExportFormat{"pytorch", ".py", "a script that reproduces a step on DTensor, for torchrun", One,
                 [](const Journal& journal, const ExportPart& part, std::ostream& out) {
                   return text(pytorchScript(journal, *part.step), out);
                 }},
    ExportFormat{"html", ".html",
                 "a page that steps through the recording or one step in a browser", AllOrOne,
                 [](const Journal& journal, const ExportPart& part, std::ostream& out) {
                   return whole(writeHtmlPage(journal, part.step, out, part.notation));
                 }},
    ExportFormat{"assertions", ".py",
                 "the inferred placements of plain tensors, as assert_placement() lines", All,
                 [](const Journal& journal, const ExportPart& /*part*/, std::ostream& out) {
                   return writeAssertions(journal, out);
                 }},
    ExportFormat{"png", ".png", "the window, or a panel of it, after a step", AllOrOne, nullptr},
    ExportFormat{"svg", ".svg", "the same, as vector graphics", AllOrOne, nullptr},
};

// A file buffer that calls `progress` each time it is about to flush.
class ProgressFile final : public std::filebuf {
 public:
  explicit ProgressFile(const Progress& progress) : progress_(progress) {}

 protected:
  int_type overflow(int_type letter) override {
    reportProgress();
    return std::filebuf::overflow(letter);
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    if (epptr() - pptr() < size) reportProgress();
    return std::filebuf::xsputn(text, size);
  }

 private:
  void reportProgress() const {
    if (progress_) progress_(0);
  }
  const Progress& progress_;
};

// Exports into the file `into`. Error messages name `path`.
LeftOut writeInto(const fs::path& into, const fs::path& path, const ExportFormat& format,
                  const Journal& journal, const ExportPart& part, const Progress& progress) {
  ProgressFile file(progress);
  errno = 0;
  if (file.open(into, std::ios::out | std::ios::binary) == nullptr) {
    return fail(path.string() + ": could not be written: " + std::strerror(errno));
  }
  std::ostream out(&file);
  out.exceptions(std::ios::badbit);  // rethrows what `progress` throws
  try {
    auto written = format.write(journal, part, out);
    const bool isKept = out.good() && file.close() != nullptr;
    if (!written || isKept) return written;
  } catch (const std::ios_base::failure&) {  // e.g. a full disk
  }
  return fail(path.string() + ": could not be written");
}

}  // namespace

std::span<const ExportFormat> exportFormats() { return kFormats; }

LeftOut exportTo(const fs::path& path, const ExportFormat& format, const Journal& journal,
                 const ExportPart& part, const Progress& progress) {
  std::error_code failed;
  if (fs::exists(path, failed) && !fs::is_regular_file(path, failed)) {
    return writeInto(path, path, format, journal, part, progress);
  }
  const fs::path begun(path.string() + ".part");
  if (fs::exists(begun, failed)) return fail(begun.string() + " is in the way: remove it");
  try {
    auto written = writeInto(begun, path, format, journal, part, progress);
    if (written) fs::rename(begun, path, failed);
    if (written && failed) written = fail(path.string() + ": " + failed.message());
    if (!written) fs::remove(begun, failed);
    return written;
  } catch (...) {  // thrown by `progress`
    fs::remove(begun, failed);
    throw;
  }
}

}  // namespace shardlens
