#include "ui/scenes/element_scan.h"

#include "core/model/spec.h"

#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <cmath>

namespace shardlens {
namespace {

QString countOf(std::int64_t count) {
  return QLocale(QLocale::English).toString(static_cast<qlonglong>(count));
}

QString rangeText(double min, double max) {
  return QObject::tr("%1 to %2").arg(min, 0, 'g', 6).arg(max, 0, 'g', 6);
}

QString meanText(double mean) { return QObject::tr("mean %1").arg(mean, 0, 'g', 6); }

}  // namespace

ElementScan::ElementScan(const InspectedElements& elements)
    : count_(elements.missing().isEmpty() ? elementCount(elements.shown.shape()) : 0) {}

bool ElementScan::advance(const InspectedElements& elements, std::int64_t most) {
  for (; most > 0 && seen_ < count_; --most) {
    scan(elements, seen_++);
  }
  for (; most > 0 && binned_ < count_; --most) {
    bin(elements, binned_++);
  }
  return !isDone();
}

void ElementScan::scan(const InspectedElements& elements, std::int64_t flat) {
  if (elements.masked(flat)) {
    ++figures_.masked;
    return;
  }
  const auto number = elements.number(flat);
  if (!number) {
    ++figures_.absent;
    return;
  }
  if (!std::isfinite(*number)) {
    if (figures_.nans + figures_.infinities == 0) {
      figures_.largestAt = flat;
      figures_.largest = std::abs(*number);
    }
    ++(std::isnan(*number) ? figures_.nans : figures_.infinities);
    return;
  }
  const bool isFirst = figures_.numbers++ == 0;
  figures_.min = isFirst ? *number : std::min(figures_.min, *number);
  figures_.max = isFirst ? *number : std::max(figures_.max, *number);
  sum_ += *number;
  figures_.mean = sum_ / static_cast<double>(figures_.numbers);
  const bool isLarger = isFirst || std::abs(*number) > figures_.largest;
  if (isLarger && figures_.nans + figures_.infinities == 0) {
    figures_.largest = std::abs(*number);
    figures_.largestAt = flat;
  }
}

void ElementScan::bin(const InspectedElements& elements, std::int64_t flat) {
  const auto number = elements.masked(flat) ? std::nullopt : elements.number(flat);
  if (!number || !std::isfinite(*number)) {
    return;
  }
  // Halved, because max - min may overflow.
  const double range = figures_.max / 2 - figures_.min / 2;
  const double share = range > 0 ? (*number / 2 - figures_.min / 2) / range : 0;
  ++bins_[static_cast<std::size_t>(std::min<double>(kBins - 1, std::floor(share * kBins)))];
}

QString figuresWords(const ElementScan& scan) {
  const ElementFigures& figures = scan.figures();
  QStringList parts;
  const auto add = [&parts](std::int64_t count, const QString& text) {
    parts << (count == 0 ? QString() : text.arg(countOf(count)));
  };
  if (!scan.isDone()) {
    parts << QObject::tr("%1 of %2 elements read").arg(countOf(scan.seen()), countOf(scan.count()));
  } else {
    parts << (scan.count() == 1 ? QObject::tr("1 element")
                                : QObject::tr("%1 elements").arg(countOf(scan.count())));
  }
  if (figures.numbers > 0) {
    parts << rangeText(figures.min, figures.max) << meanText(figures.mean);
  }
  add(figures.nans, QObject::tr("%1 NaN"));
  add(figures.infinities, QObject::tr("%1 infinite"));
  add(figures.masked, QObject::tr("%1 masked, excluded"));
  add(figures.absent, QObject::tr("%1 on no rank"));
  parts.removeAll(QString());
  return parts.join(QStringLiteral(" · "));
}

QString figuresWords(const Statistics& captured) {
  return QStringList{rangeText(captured.min, captured.max), meanText(captured.mean),
                     QObject::tr("%1 NaN").arg(captured.nans),
                     QObject::tr("%1 zeros").arg(captured.zeros)}
      .join(QStringLiteral(" · "));
}

}  // namespace shardlens
