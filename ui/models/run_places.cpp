#include "ui/models/run_places.h"

#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/program_source.h"
#include "core/trace/records/site_record.h"
#include "ui/models/fuzzy_match.h"
#include "ui/text/format.h"
#include "ui/text/program.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace shardlens {
namespace {

using Kind = RunPlace::Kind;

constexpr EventId kMostSearched = 200'000;
constexpr std::size_t kMostFound = 40;

QString titleOf(const char* text) { return QCoreApplication::translate("RunPlaces", text); }

// The lines of source files, each once.
class SourceLines {
 public:
  explicit SourceLines(const Journal& journal) : journal_(journal) {}

  // Appends a line, with its text if the recording has it, unless it was appended before.
  void add(const SiteRecord& site, EventId id, std::vector<RunPlace>& to) {
    if (!seen_.emplace(site.file, site.line).second) return;
    const auto [text, isNew] = texts_.try_emplace(site.file);
    if (isNew) text->second = wholeText(journal_.meta(sourceKey(site.file))).split(u'\n');
    const QString file = toQString(site.file);
    const QString words = text->second.value(site.line - 1).trimmed();
    to.push_back({Kind::Line,
                  titleOf("Line: %1:%2  %3")
                      .arg(file.mid(file.lastIndexOf(u'/') + 1))
                      .arg(site.line)
                      .arg(words)
                      .trimmed(),
                  id});
  }

 private:
  const Journal& journal_;
  std::set<std::pair<std::string, int>> seen_;  // files and lines
  std::map<std::string, QStringList> texts_;    // by file
};

}  // namespace

void RunPlaces::read(const Journal& journal) {
  *this = {};
  journal_ = &journal;
  size_ = journal.size();
  std::unordered_set<TensorId> tensors;
  std::unordered_map<StringId, SiteRecord> sites;
  std::set<std::string> modules;
  SourceLines lines(journal);
  for (EventId id = 1; id <= std::min(size_, kMostSearched); ++id) {
    const Event event = journal.at(id);
    if (event.kind == EventKind::Step) {
      const int number = event.step + 1;
      const QString name = toQString(journal.name(event));
      steps_.emplace(number,
                     RunPlace{Kind::Event, titleOf("Step: %1  %2").arg(number).arg(name), id});
    }
    const auto [known, isNew] = sites.try_emplace(event.site);
    const SiteRecord& site = known->second;
    if (isNew) known->second = readSite(journal.text(event.site));
    const bool isMade = event.kind == EventKind::Result && event.subject != 0 &&
                        tensors.insert(event.subject).second;
    if (!isNew && !isMade) continue;
    const QString module = toQString(site.module);
    if (isMade) {
      const TensorRecord tensor = journal.tensor(event.subject);
      QStringList about{tensorText(tensor)};
      if (!module.isEmpty()) about << module;
      about << titleOf("event %1").arg(id);
      named_.push_back(
          {Kind::Tensor,
           titleOf("Tensor: %1  %2").arg(toQString(tensor.name), about.join(QStringLiteral(" · "))),
           id});
    }
    if (isNew && !site.file.empty()) lines.add(site, id, named_);
    if (!module.isEmpty() && modules.insert(site.module).second) {
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

// Adds what has the typed number.
void RunPlaces::addNumbered(const Journal& journal, const QString& typed,
                            std::vector<RunPlace>& found) const {
  static const QRegularExpression kNumber(
      QStringLiteral(R"(^\s*(?:(event|rank|step)\W*)?(\d+)\s*$)"),
      QRegularExpression::CaseInsensitiveOption);
  const auto match = kNumber.match(typed);
  if (!match.hasMatch()) return;
  const QString word = match.captured(1).toLower();
  const auto isRequested = [&](const char* kind) {
    return word.isEmpty() || word == QLatin1String(kind);
  };
  bool isNumber = false;
  const int number = match.captured(2).toInt(&isNumber);
  if (!isNumber) return;
  const auto event = static_cast<EventId>(number);
  if (isRequested("event") && event <= journal.size()) {
    QString title = titleOf("Event: %1 of %2").arg(number).arg(journal.size());
    if (event > 0 && journal.isPart()) {
      title += titleOf(", %1 in the whole recording").arg(toQString(journal.numberOf(event)));
    }
    found.push_back({Kind::Event, title, event});
  }
  if (isRequested("rank") && contains(hostedRanges(journal), number)) {
    found.push_back({Kind::Rank, titleOf("Rank: %1").arg(number), 0, number});
  }
  const auto step = steps_.find(number);
  if (isRequested("step") && step != steps_.end()) found.push_back(step->second);
}

std::vector<RunPlace> RunPlaces::find(const Journal& journal, const QString& typed) {
  std::vector<RunPlace> found;
  if (typed.trimmed().isEmpty()) {
    return found;
  }
  if (journal_ != &journal || size_ != journal.size()) {
    read(journal);
  }
  addNumbered(journal, typed, found);
  std::vector<std::pair<int, const RunPlace*>> ranked;
  for (const RunPlace& place : named_) {
    // The number of a tensor's event only distinguishes tensors of the same name.
    const bool isTensor = place.kind == Kind::Tensor;
    const QString text = isTensor ? place.title.left(place.title.lastIndexOf(u'·')) : place.title;
    if (const auto score = fuzzyScore(typed, text)) ranked.emplace_back(*score, &place);
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
