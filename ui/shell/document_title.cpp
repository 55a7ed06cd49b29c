#include "ui/shell/document_title.h"

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
