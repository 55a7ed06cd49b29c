#include "ui/text/compact.h"

#include <QRegularExpression>

namespace shardlens {

QString compactPlacements(const QString& text) {
  struct Rule {
    QRegularExpression pattern;
    QString replacement;
  };
  static const auto rule = [](const char* pattern, const char* replacement) {
    return Rule{QRegularExpression(QString::fromLatin1(pattern)), QString::fromUtf8(replacement)};
  };
  static const Rule kPlacements[] = {
      rule(R"(\bMaskP\([^()]*\))", "MaskP"),
      rule(R"(\bNormP\(([^()]*)\))", R"(NormP\1)"),
      rule(R"(\bP\(sum\))", "P"),
      rule(R"(\bP\((\w+)(, [^()]*)?\))", R"(P\1)"),
      rule(R"(\bSS\((\d+), (\d+)\))", R"(SS\1/\2)"),
      rule(R"(\bS\((\d+)\))", R"(S\1)"),
  };
  static const QRegularExpression kList(QStringLiteral(
      R"((?<!\w)\(((?:R|SS?\d[\d/]*|P\w*|NormP[\d.a-z]*|MaskP)(?:, (?:R|SS?\d[\d/]*|P\w*|)"
      R"(NormP[\d.a-z]*|MaskP))*)\))"));
  static const QRegularExpression kArrow(QStringLiteral(" (?:->|→) "));
  QString compact = text;
  for (const auto& [pattern, replacement] : kPlacements) {
    compact.replace(pattern, replacement);
  }
  for (auto found = kList.match(compact); found.hasMatch(); found = kList.match(compact)) {
    compact.replace(found.capturedStart(), found.capturedLength(),
                    found.captured(1).replace(QStringLiteral(", "), QStringLiteral("·")));
  }
  return compact == text ? text : compact.replace(kArrow, QStringLiteral("→"));
}

}  // namespace shardlens
