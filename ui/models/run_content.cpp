#include "ui/models/run_content.h"

#include "core/trace/journal/tensor_ranks.h"
#include "core/view/words/collective_wait.h"
#include "ui/text/program.h"

#include <QCoreApplication>
#include <algorithm>

namespace shardlens {
namespace {

constexpr EventId kLast = 512;  // events at the end that are read

QString reason(const char* text) { return QCoreApplication::translate("RunContent", text); }

bool hangs(const Journal& journal) {
  const EventId first = journal.size() > kLast ? journal.size() - kLast : 1;
  for (EventId id = first; id <= journal.size(); ++id) {
    if (journal.at(id).kind == EventKind::Collective) {
      const auto wait = view::collectiveWait(journal, id);
      if (wait && !wait->waiting.empty()) return true;
    }
  }
  return false;
}

// Returns true if one of the last kLast events knows its line of source.
bool hasSites(const Journal& journal) {
  EventId id = journal.size();
  while (id > 0 && journal.size() - id < kLast && journal.at(id).site == 0) --id;
  return id > 0 && journal.at(id).site != 0;
}

}  // namespace

RunContent contentOf(const Journal& journal, bool isLive) {
  RunContent content;
  content.isLive = isLive;
  const bool isFused = journal.meta("masking") == "fused";
  const QString fused = reason("No mask buffers: ids are masked in one fused pass");
  const bool isUnfinished = isLive || journal.size() == 0;
  const bool isJob = journal.isMerged() || (!isUnfinished && journal.tensors() == 0);
  content.perspective = hangs(journal) ? Perspective::Hang
                        : isJob        ? Perspective::Job
                                       : Perspective::Step;
  if (isUnfinished) {
    if (isFused) content.empty.insert(QStringLiteral("buffersPanel"), fused);
    return content;
  }
  const EventTotals& totals = journal.totals();
  const bool hasTimes = totals.end() != 0 || totals.running() != 0;
  const auto has = [&totals](std::initializer_list<EventKind> any) {
    return std::any_of(any.begin(), any.end(),
                       [&totals](EventKind kind) { return totals.count(kind) > 0; });
  };
  const auto fold = [&content](const char* panel, bool isEmpty, const QString& words) {
    if (isEmpty) content.empty.insert(QLatin1String(panel), words);
  };
  using enum EventKind;
  const auto program = programOf(journal);
  fold("programPanel", isImported(journal) && program->lines.empty() && !hasSites(journal),
       reason("No program: traces of other tools have no source lines"));
  fold("shardsPanel", journal.tensors() == 0, reason("No tensors in this recording"));
  fold("inspectorPanel", journal.tensors() == 0, reason("No tensors in this recording"));
  fold("tensorsPanel", journal.tensors() == 0, reason("No tensors in this recording"));
  fold("buffersPanel", !has({MaskMaterialized, MaskApplied, MaskReleased}),
       isFused ? fused : reason("No mask buffers in this recording"));
  fold("cachesPanel", !has({CacheLookup, CacheEvicted}),
       reason("No cache lookups in this recording"));
  fold("whyPanel", !has({Candidates, Plan}), reason("No decisions in this recording"));
  fold("timelinePanel", !hasTimes, reason("No times in this recording"));
  return content;
}

}  // namespace shardlens
