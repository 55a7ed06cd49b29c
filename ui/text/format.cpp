#include "ui/text/format.h"

#include "core/model/byte_count.h"
#include "core/view/words/names.h"
#include "core/view/words/units.h"

#include <QRegularExpression>
#include <QStringList>
#include <cmath>

namespace shardlens {

QString toQString(std::string_view text) { return wholeText(view::truncated(text)); }

QString wholeText(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString bytesText(std::int64_t bytes) { return QString::fromStdString(byteCountText(bytes)); }

QString durationText(std::int64_t nanoseconds) {
  return QString::fromStdString(view::durationText(nanoseconds));
}

QString numberText(double value, DType dtype) {
  if (std::isnan(value)) {
    return QStringLiteral("nan");
  }
  if (std::isinf(value)) {
    return value > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
  }
  if (isWhole(dtype)) {
    return QString::number(static_cast<qint64>(value));
  }
  const double size = std::abs(value);
  if (size != 0 && (size >= 9999.5 || size < 0.005)) {
    return QString::number(value, 'e', 0);
  }
  return QString::number(value, 'f', size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

namespace {

// Returns "2e-5" for "2e-05", and "2e5" for "2e+05".
QString withShortExponent(const QString& text) {
  const auto exponent = text.indexOf(u'e');
  if (exponent < 0) return text;
  const bool isNegative = text[exponent + 1] == u'-';
  return text.left(exponent) + (isNegative ? QStringLiteral("e-") : QStringLiteral("e")) +
         QString::number(text.mid(exponent + 2).toInt());
}

}  // namespace

QString fittedNumber(double value, DType dtype, int characters) {
  if (isComplex(dtype)) {
    const DType part = dtype == DType::Complex64 ? DType::Float32 : DType::Float64;
    const QString magnitude = fittedNumber(value, part, characters - 2);
    return magnitude.isEmpty() ? magnitude : QStringLiteral("|%1|").arg(magnitude);
  }
  if (!std::isfinite(value)) {
    const QString text = numberText(value, dtype);
    return text.size() <= characters ? text : QString();
  }
  // Start with the shortest text that identifies the value, and drop digits until it fits.
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  const auto single = static_cast<float>(value);
  const bool wide = dtype == DType::Float64 || isWhole(dtype);
  QString text = toQString(
      isWhole(dtype) ? QString::number(static_cast<qint64>(value)).toStdString()
      : wide         ? elementText(DType::Float64, bytes, 0)
                     : elementText(DType::Float32, reinterpret_cast<const std::byte*>(&single), 0));
  const bool rounded = text.size() > characters;
  for (int digits = 16; text.size() > characters && digits > 0; --digits) {
    text = withShortExponent(QString::number(value, 'g', digits));
    if (text.contains(u'e')) continue;
    if (digits < 3 && std::abs(value) < 1 && text.size() > characters) {
      text.remove(text.indexOf(u'0'), 1);  // -.93
    }
  }
  if (text.size() > characters && std::abs(value) < 1 && value != 0) {  // 2e-4 for .0002
    text = withShortExponent(QString::number(value, 'e', 0));
  }
  if (rounded && text.size() + 2 <= characters && !text.contains(u'.') && !text.contains(u'e')) {
    text += QStringLiteral(".0");  // 2.02 becomes "2.0": a bare "2" would look exact
  }
  return text.size() <= characters ? text : QString();
}

int fewestCharacters(double value, DType dtype) {
  const double size = std::abs(value);
  const int sign = value < 0 ? 1 : 0;
  if (isWhole(dtype) && size < 100) return sign + (size < 10 ? 1 : 2);
  if (!std::isfinite(value)) return sign + 3;              // "nan", "inf"
  if (size >= 99.5) return sign + (size < 9.5e9 ? 3 : 4);  // "1e2", "1e10"
  if (size >= 0.1 || size == 0) {                          // ".9", "9", "1e1", "99"
    return sign + (size < 0.95 && size != 0 ? 2 : size < 9.5 ? 1 : size < 10 ? 3 : 2);
  }
  return sign + (size >= 0.01 ? 3 : size >= 9.5e-10 ? 4 : 5);  // ".09", "9e-3", "1e-10"
}

QString countText(std::int64_t count, const QString& one, const QString& many) {
  return QStringLiteral("%1 %2").arg(count).arg(count == 1 ? one : many);
}

QString runsText(const Runs& runs, const QString& word) {
  QStringList parts;
  for (const Run& run : runs) {
    if (parts.size() == 3) {
      parts << QStringLiteral("…");
      break;
    }
    parts << (run.length == 1
                  ? QString::number(run.begin)
                  : QStringLiteral("%1–%2").arg(run.begin).arg(run.begin + run.length - 1));
  }
  return word + (totalLength(runs) == 1 ? QStringLiteral(" ") : QStringLiteral("s ")) +
         parts.join(QStringLiteral(", "));
}

QString tensorText(const TensorRecord& tensor) { return toQString(view::tensorText(tensor)); }

QString placedText(const Journal& journal, const TensorRecord& tensor, view::Notation notation) {
  return toQString(view::placedText(journal, tensor, notation));
}

QString withEmulation(const QString& note, const Journal& journal) {
  QStringList parts{toQString(journal.meta("emulate")), note};
  parts.removeAll(QString());
  return parts.join(QStringLiteral(" · "));
}

QString ranksLabel(const std::vector<int>& ranks) {
  return QString::fromStdString(view::ranksLabel(ranks));
}

QString tableRow(const QString& name, const QString& value) {
  static const QRegularExpression unit(QStringLiteral("(?<=\\d) (?=\\w)"));
  QString escaped = value.toHtmlEscaped();
  escaped.replace(unit, QStringLiteral("&nbsp;"));
  return value.isEmpty()
             ? QString()
             : QStringLiteral("<tr><td style='padding-right: 14px'>%1</td><td>%2</td></tr>")
                   .arg(name.toHtmlEscaped(), escaped);
}

}  // namespace shardlens
