#include "ui/shell/document_title.h"

#include "ui/pages/open_steps_dialog.h"
#include "ui/text/format.h"

#include <QStringList>

namespace shardlens {
namespace {

QString aboutText(const Document& document) {
  const Journal& journal = document.journal();
  QStringList about;
  if (document.title() != document.fileName()) {
    about << document.fileName();
  }
  const auto add = [&](const char* key, const QString& words) {
    if (!journal.meta(key).empty()) {
      about << words.arg(toQString(journal.meta(key)));
    }
  };
  if (const QString loaded = loadedSteps(document); !loaded.isEmpty()) {
    about << loaded;
  }
  add("arguments", QStringLiteral("%1"));
  about << document.stateText();
  add("mesh", QObject::tr("mesh %1"));
  // "DTensor of torch 2.15.0" names the library of a job, not its ranks.
  const bool isJob = journal.meta("backend").starts_with("DTensor");
  add("backend", isJob ? QStringLiteral("%1") : QObject::tr("%1 ranks"));
  // "emulate" implies how ids are masked.
  if (journal.meta("emulate").empty()) {
    add("masking", QObject::tr("masking %1"));
  }
  add("emulate", QObject::tr("emulates %1"));
  return about.join(QStringLiteral("  ·  "));
}

}  // namespace

QString loadedSteps(const Document& document) {
  if (document.steps().empty()) return {};
  const QString steps = namedSteps(document.steps());
  const auto all = document.stepsOfRun();
  const QString text = all > 0 ? QObject::tr("%1 of %2").arg(steps).arg(all) : steps;
  return rankCount(document.steps()) == 1 ? QObject::tr("%1 is loaded").arg(text)
                                          : QObject::tr("%1 are loaded").arg(text);
}

DocumentTitle titleOf(const Document& document) {
  const QString title = document.title();
  const QString file = document.fileName();
  QStringList names{QStringLiteral("%1 (%2)").arg(file, document.stateText())};
  if (title != file) {
    names << title;
  }
  names << QStringLiteral("Shardlens");
  return {title, aboutText(document), names.join(QStringLiteral(" — "))};
}

}  // namespace shardlens
