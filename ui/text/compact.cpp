#include "ui/text/compact.h"

#include <QRegularExpression>

namespace shardlens {
namespace {

// Returns the offset after the parenthesis that closes the one at `open`; -1 if there is none.
qsizetype endOfParentheses(const QString& text, qsizetype open) {
  int depth = 0;
  for (qsizetype at = open; at < text.size(); ++at) {
    depth += text[at] == u'(' ? 1 : text[at] == u')' ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return -1;
}

// Shortens placements in JAX's notation: "P(None, 'tp', unreduced={'dp'})" is "P(-,tp,Σ{dp})".
QString compactSpecs(QString text) {
  static const QRegularExpression kSpec(
      QStringLiteral(R"(\bP\((?='|\(|None\b|strided\(|unreduced=))"));
  qsizetype from = 0;
  for (auto found = kSpec.match(text); found.hasMatch(); found = kSpec.match(text, from)) {
    const qsizetype start = found.capturedStart();
    const qsizetype end = endOfParentheses(text, start + 1);
    if (end < 0) break;
    QString spec = text.mid(start, end - start);
    spec.remove(u'\'').replace(QStringLiteral(", "), QStringLiteral(","));
    spec.replace(QStringLiteral("None"), QStringLiteral("-"));
    spec.replace(QStringLiteral("unreduced="), QStringLiteral("Σ"));
    text.replace(start, end - start, spec);
    from = start + spec.size();
  }
  return text;
}

}  // namespace

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
      rule(R"(\bP\(((?:avg|min|max|product|band|bor|bxor|premul_sum))(, [^()]*)?\))", R"(P\1)"),
      rule(R"(\bSS\((\d+), (\d+)\))", R"(SS\1/\2)"),
      rule(R"(\bS\((\d+)\))", R"(S\1)"),
  };
  static const QRegularExpression kList(QStringLiteral(
      R"((?<!\w)\(((?:R|SS?\d[\d/]*|P\w*|NormP[\d.a-z]*|MaskP)(?:, (?:R|SS?\d[\d/]*|P\w*|)"
      R"(NormP[\d.a-z]*|MaskP))*)\))"));
  static const QRegularExpression kArrow(QStringLiteral(" (?:->|→) "));
  QString compact = compactSpecs(text);
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
