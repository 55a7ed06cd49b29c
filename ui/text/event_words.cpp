#include "ui/text/event_words.h"

#include "core/trace/journal/event_text.h"
#include "core/trace/journal/tensor_ranks.h"
#include "ui/text/format.h"

namespace shardlens {
namespace {

QString tensorName(const Journal& journal, TensorId id) {
  if (id == 0 || id > journal.tensors().size()) {
    return QStringLiteral("?");
  }
  const QString name = toQString(journal.tensor(id).name);
  return name.isEmpty() ? QStringLiteral("unnamed") : name;
}

EventWords lookupWords(const Journal& journal, const Event& event) {
  const QString title = toQString(journal.name(event)) + QStringLiteral(" cache");
  switch (event.verdict) {
    case Verdict::Hit:
      return {title, QStringLiteral("hit"), Tone::Good};
    case Verdict::Miss:
      return {title, QStringLiteral("miss"), Tone::Warn};
    default:
      return {title, QStringLiteral("off"), Tone::Quiet};
  }
}

// What nobody asked for is an alarm where it sends something.
EventWords redistributeWords(const Journal& journal, EventId id) {
  const Event& event = journal.at(id);
  const bool implicit = event.verdict == Verdict::Implicit;
  return {QStringLiteral("redistribute %1: %2")
              .arg(tensorName(journal, event.subject), shortened(toQString(journal.name(event)))),
          implicit ? QStringLiteral("implicit") : QStringLiteral("explicit"),
          implicit && hasCollective(journal, id) ? Tone::Bad : Tone::Quiet};
}

EventWords maskWords(const Event& event, const QString& what) {
  return {QStringLiteral("mask #%1 %2").arg(event.subject).arg(what),
          QStringLiteral("refcount %1").arg(event.count), Tone::Strong};
}

EventWords resultWords(const Journal& journal, const Event& event) {
  EventWords words{QStringLiteral("result ") + tensorName(journal, event.subject), {}, Tone::Plain};
  if (event.subject != 0 && event.subject <= journal.tensors().size()) {
    const TensorRecord& tensor = journal.tensor(event.subject);
    words.title += QStringLiteral(": ") + shortened(placementsText(tensor.placements));
    words.note = tensorText(tensor);
    words.tone = Tone::Quiet;
  }
  return words;
}

std::int64_t ranksIn(const Journal& journal, const Event& event) {
  return rankCount(parseRankRanges(journal.text(event.ranks)));
}

EventWords wordsOf(const Journal& journal, EventId id) {
  const Event& event = journal.at(id);
  const QString name = toQString(journal.name(event));
  switch (event.kind) {
    case EventKind::Step:
    case EventKind::Operator:
      return {name, event.bytes > 0 ? bytesText(event.bytes) : QString(), Tone::Quiet};
    case EventKind::CacheLookup:
      return lookupWords(journal, event);
    case EventKind::Candidates:
      return {QStringLiteral("chose ") + name, {}, Tone::Plain};
    case EventKind::Redistribute:
      return redistributeWords(journal, id);
    case EventKind::Plan:
      return {QStringLiteral("plan ") + shortened(name), {}, Tone::Plain};
    case EventKind::Collective:
      return {collectiveText(journal, event), bytesText(event.bytes) + QStringLiteral(" put in"),
              Tone::Strong};
    case EventKind::MaskMaterialized:
      return maskWords(event, QStringLiteral("materialized"));
    case EventKind::MaskApplied:
      return {QStringLiteral("mask #%1 applied to %2")
                  .arg(event.subject)
                  .arg(tensorName(journal, event.related)),
              {},
              Tone::Plain};
    case EventKind::MaskReleased:
      return maskWords(event, QStringLiteral("released"));
    case EventKind::Compute: {
      const auto ranks = ranksIn(journal, event);
      return {
          name,
          ranks > 0 ? countText(ranks, QStringLiteral("rank"), QStringLiteral("ranks")) : QString(),
          Tone::Quiet};
    }
    case EventKind::Result:
      return resultWords(journal, event);
    case EventKind::Error:
      return {name, {}, Tone::Bad};
  }
  return {name, {}, Tone::Plain};
}

}  // namespace

EventWords eventWords(const Journal& journal, EventId id) {
  EventWords words = wordsOf(journal, id);
  if (const auto absent = absentRanks(journal, id); !absent.empty()) {
    words.note = QStringLiteral("without ") + ranksLabel(absent);
    words.tone = Tone::Bad;
  }
  return words;
}

QString collectiveText(const Journal& journal, const Event& event) {
  const std::string axis = axisOf(journal, event);
  const QString name = toQString(journal.name(event));
  return axis.empty() ? name : name + QStringLiteral(" over ") + toQString(axis);
}

QString eventIcon(const Event& event) {
  switch (event.kind) {
    case EventKind::Step:
      return QStringLiteral("step");
    case EventKind::Operator:
      return QStringLiteral("operator");
    case EventKind::CacheLookup:
      return event.verdict == Verdict::Hit ? QStringLiteral("cache_hit")
                                           : QStringLiteral("cache_miss");
    case EventKind::Candidates:
      return QStringLiteral("candidates");
    case EventKind::Redistribute:
      return QStringLiteral("redistribute");
    case EventKind::Plan:
      return QStringLiteral("plan");
    case EventKind::Collective:
      return QStringLiteral("collective");
    case EventKind::MaskMaterialized:
    case EventKind::MaskApplied:
    case EventKind::MaskReleased:
      return QStringLiteral("mask");
    case EventKind::Compute:
      return QStringLiteral("compute");
    case EventKind::Result:
      return QStringLiteral("result");
    case EventKind::Error:
      return QStringLiteral("error");
  }
  return {};
}

}  // namespace shardlens
