#include "ui/scenes/inspected_elements.h"

#include "core/model/spec.h"
#include "ui/text/format.h"

#include <QStringList>
#include <cmath>

namespace shardlens {
namespace {

QString atText(const Shape& at) { return toQString(toText(at)); }

QString holderText(const TensorElements& elements) {
  return elements.rank() == TensorElements::kWhole ? QObject::tr("whole")
                                                   : QObject::tr("rank %1").arg(elements.rank());
}

}  // namespace

QString InspectedElements::missing() const {
  if (!shown.missing().isEmpty() || !against) {
    return shown.missing();
  }
  if (!against->missing().isEmpty()) {
    return QObject::tr("Nothing to compare with: %1").arg(against->missing());
  }
  return against->shape() == shown.shape()
             ? QString()
             : QObject::tr("Nothing to compare with: got shape %1, expected %2.")
                   .arg(atText(against->shape()), atText(shown.shape()));
}

// Equal infinities, and two NaNs, have the difference 0.
std::optional<double> InspectedElements::difference(std::optional<double> one,
                                                    std::optional<double> other) const {
  if (!against || !one) {
    return one;
  }
  if (!other) {
    return std::nullopt;
  }
  const bool isSame = *one == *other || (std::isnan(*one) && std::isnan(*other));
  return isSame ? 0 : *one - *other;
}

QString InspectedElements::text(const Shape& at) const {
  if (!against) {
    return shown.text(at);
  }
  const auto far = number(at);
  if (!far) {
    return {};
  }
  const QString digits = QString::number(*far, 'g', 6);
  return *far > 0 ? u'+' + digits : digits;
}

QString InspectedElements::words(const Shape& at) const {
  const QString value = shown.text(at);
  QStringList lines{
      QStringLiteral("%1, %2 %3")
          .arg(holderText(shown),
               shown.rank() == TensorElements::kWhole ? QObject::tr("at") : QObject::tr("local"),
               atText(at))};
  lines[0] += value.isEmpty() ? QObject::tr(": on no rank") : QStringLiteral(" = ") + value;
  const auto global = shown.global(at);
  if (shown.rank() != TensorElements::kWhole && global) {
    lines << QObject::tr("global %1").arg(atText(*global));
  }
  if (against) {
    lines << QObject::tr("%1 has %2, difference %3")
                 .arg(against->rank() == shown.rank() ? QObject::tr("the previous value")
                                                      : holderText(*against),
                      against->text(at), text(at));
  }
  if (masked(at)) {
    lines << QObject::tr("masked: another rank owns it");
  }
  return lines.join(u'\n');
}

}  // namespace shardlens
