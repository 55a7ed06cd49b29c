#include "tests/imports/imported.h"

#include "core/query/problems/problems.h"
#include "core/trace/events/event_names.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>

namespace shardlens {

namespace fs = std::filesystem;

fs::path sample(const std::string& name) {
  return fs::path(SHARDLENS_SOURCE_DIR) / "tests/imports/samples" / name;
}

fs::path written(const ScratchFolder& folder, const std::string& name, std::string_view bytes) {
  const fs::path path = folder / name;
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}

std::string unpacked(const fs::path& path) {
  const auto source = ByteSource::open(path).value();
  std::string all;
  std::array<char, 4096> some;
  while (const std::size_t got = source->read(some)) all.append(some.data(), got);
  return all;
}

Imported::Imported(const std::vector<fs::path>& paths)
    : report_(importDumps(paths, folder_ / "into").value()),
      reader_(TraceReader::open(folder_ / "into").value()) {}

std::vector<std::string> Imported::collectives() const {
  std::vector<std::string> all;
  for (EventId id = 1; id <= journal().size(); ++id) {
    const Event event = journal().at(id);
    if (event.kind != EventKind::Collective) continue;
    std::string text(journal().name(event));
    if (event.group != 0) text += " of " + std::string(journal().text(event.group));
    if (event.sequence != 0) text += " #" + std::to_string(event.sequence);
    if (event.ranks != 0) text += ", ranks " + std::string(journal().text(event.ranks));
    if (event.bytes != 0) text += ", " + std::to_string(event.bytes) + " bytes";
    all.push_back(std::move(text));
  }
  return all;
}

std::vector<std::string> Imported::tree(EventId most) const {
  std::vector<std::string> all;
  for (EventId id = 1; id <= std::min(journal().size(), most); ++id) {
    const Event event = journal().at(id);
    std::string indent;
    for (EventId parent = event.parent; parent != 0; parent = journal().at(parent).parent) {
      indent += "  ";
    }
    all.push_back(indent + std::string(kindName(event.kind)) + " " +
                  std::string(journal().name(event)));
  }
  return all;
}

std::vector<std::string> Imported::problems(const std::string& rule) const {
  std::vector<std::string> all;
  for (const auto& problem : findProblems(journal())) {
    if (problem.rule == rule) all.push_back(problem.sentence);
  }
  return all;
}

std::string refusalOf(std::string_view bytes) {
  const ScratchFolder folder;
  const auto path = written(folder, "dump", bytes);
  const auto report = importDumps({path}, folder / "into");
  if (report) return "imported";
  EXPECT_TRUE(fs::is_empty(folder / "into"));
  const std::string& message = report.error().message;
  const std::string file = path.string() + ": ";
  return message.starts_with(file) ? message.substr(file.size()) : message;
}

}  // namespace shardlens
