#include "ui/shell/remembered_breakpoints.h"

#include "ui/shell/settings.h"

namespace shardlens {
namespace {

constexpr qsizetype kMostFiles = 50;  // documents that are kept

const QString kBreakpointsKey = QStringLiteral("breakpoints");

QString pathOf(const QVariant& document) { return document.toList().value(0).toString(); }

}  // namespace

QVariantList rememberedBreakpoints(const QString& path) {
  for (const QVariant& document : settings().value(kBreakpointsKey).toList()) {
    if (pathOf(document) == path) {
      return document.toList().value(1).toList();
    }
  }
  return {};
}

void rememberBreakpoints(const QString& path, const QVariantList& breakpoints) {
  QSettings store = settings();
  QVariantList documents = store.value(kBreakpointsKey).toList();
  documents.removeIf([&](const QVariant& document) { return pathOf(document) == path; });
  if (!breakpoints.isEmpty()) {
    documents.prepend(QVariant(QVariantList{path, QVariant(breakpoints)}));
  }
  store.setValue(kBreakpointsKey, documents.mid(0, kMostFiles));
}

}  // namespace shardlens
