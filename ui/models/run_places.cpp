#include "ui/models/run_places.h"

#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/site_record.h"
#include "ui/models/fuzzy_match.h"
#include "ui/text/format.h"
#include "ui/text/program.h"

#include <QCoreApplication>
#include <algorithm>
#include <set>
#include <unordered_set>

namespace shardlens {
namespace {

using Kind = RunPlace::Kind;

constexpr EventId kMostSearched = 200'000;
constexpr std::size_t kMostFound = 40;

QString titleOf(const char* text) { return QCoreApplication::translate("RunPlaces", text); }

}  // namespace

void RunPlaces::read(const Journal& journal) {
  journal_ = &journal;
  size_ = journal.size();
  named_.clear();
  std::unordered_set<TensorId> tensors;
  std::unordered_set<StringId> sites;
  std::set<std::string> modules;
  for (EventId id = 1; id <= std::min(size_, kMostSearched); ++id) {
    const Event event = journal.at(id);
    if (event.kind == EventKind::Result && event.subject != 0 &&
        tensors.insert(event.subject).second) {
      const TensorRecord tensor = journal.tensor(event.subject);
      named_.push_back({Kind::Tensor,
                        titleOf("Tensor: %1  %2").arg(toQString(tensor.name), tensorText(tensor)),
                        id});
    }
    if (event.site == 0 || !sites.insert(event.site).second) {
      continue;
    }
    const SiteRecord site = readSite(journal.text(event.site));
    if (!site.file.empty()) {
      const QString file = toQString(site.file);
      named_.push_back(
          {Kind::Line,
           titleOf("Line: %1:%2").arg(file.mid(file.lastIndexOf(u'/') + 1)).arg(site.line), id});
    }
    if (!site.module.empty() && modules.insert(site.module).second) {
      const QString module = toQString(site.module);
      named_.push_back({Kind::Module, titleOf("Module: %1").arg(module), id, -1, module});
    }
  }
  const auto program = programOf(journal);
  for (std::size_t step = 0; step < program->lines.size(); ++step) {
    const ProgramLine& line = program->lines[step];
    named_.push_back({Kind::Step, titleOf("Line: %1  %2").arg(line.number).arg(line.text), 0,
                      static_cast<int>(step)});
  }
}

std::vector<RunPlace> RunPlaces::find(const Journal& journal, const QString& typed) {
  std::vector<RunPlace> found;
  if (typed.trimmed().isEmpty()) {
    return found;
  }
  if (journal_ != &journal || size_ != journal.size()) {
    read(journal);
  }
  bool isNumber = false;
  const uint number = typed.trimmed().toUInt(&isNumber);
  if (isNumber && number <= journal.size()) {
    found.push_back(
        {Kind::Event, titleOf("Event: %1 of %2").arg(number).arg(journal.size()), number});
  }
  const auto ranks = hostedRanges(journal);
  if (isNumber && contains(ranks, static_cast<int>(number))) {
    found.push_back({Kind::Rank, titleOf("Rank: %1").arg(number), 0, static_cast<int>(number)});
  }
  std::vector<std::pair<int, const RunPlace*>> ranked;
  for (const RunPlace& place : named_) {
    if (const auto score = fuzzyScore(typed, place.title)) ranked.emplace_back(*score, &place);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& left, const auto& right) { return left.first > right.first; });
  for (const auto& [score, place] : ranked) {
    if (found.size() == kMostFound) break;
    found.push_back(*place);
  }
  return found;
}

}  // namespace shardlens
