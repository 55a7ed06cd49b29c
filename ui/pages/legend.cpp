#include "ui/pages/legend.h"

#include "ui/scenes/colour.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/paint.h"

#include <QScrollArea>
#include <QVBoxLayout>
#include <array>

namespace shardlens {
namespace {

constexpr int kRow = 46;
constexpr int kTop = 18;
constexpr int kWidth = 640;
constexpr double kSample = 96;

const std::array<std::pair<const char*, const char*>, 15> kRows{{
    {"Element", "coloured by its index in the whole tensor: hue by row, lightness by column"},
    {"Rank", "a number and an outline; dark: values just changed; dashed: another process"},
    {"Copies", "R: drawn once, with a sheet behind it for each copy"},
    {"Partial values", "P: one addend per rank; the sign between them is the reduction"},
    {"Masked row", "hatched until it is reduced, also after it was set to zero"},
    {"No data", "dashed frame: empty with its offset, in another process, or not in the mesh"},
    {"Padding", "dashed: the rows and columns that DTensor adds to match the largest shard"},
    {"Mask bits", "filled: another rank owns the id; outline: this rank owns the id"},
    {"Collective", "a frame or a number per group; dotted: the next collective"},
    {"Timeline",
     "green: compute; framed: collective, red if implicit; grey: waiting; hatched: absent"},
    {"Narrow collectives",
     "AG all_gather, AR all_reduce, RS reduce_scatter, A2A all_to_all; 9 × AG: 9 of them"},
    {"Cache", "filled dot: hit; ring: miss"},
    {"Later event", "faint: after the position; bold with a bar: the current event"},
    {"Difference",
     "from the linked window; boxed: the first difference, or an event that contains it"},
    {"Suspicious element", "red frame: NaN, an infinity, or an element that differs in a copy"},
}};

void cells(QPainter& painter, QPointF at, int row, bool masked) {
  for (int column = 0; column < 3; ++column) {
    const QRectF cell(at.x() + 20 * column, at.y(), 18, 18);
    const QColor colour = elementColour(row, 7, column / 2.0, theme().dark());
    const QColor fill = masked ? mixed(colour, theme().card, 0.45) : colour;
    drawBox(painter, cell, 2, fill, QColor());
    if (masked) {
      drawHatch(painter, cell, mixed(theme().onCells, fill, 0.5));
    }
  }
}

double sharpness(const QPainter& painter) {
  return painter.device()->devicePixelRatioF() * Zoom::now().factor();
}

void sample(QPainter& painter, int row, double y) {
  const QRectF area(24, y, kSample, 30);
  const QRectF card(24, y, 34, 26);
  const QRectF other(76, y, 34, 26);
  switch (row) {
    case 0:
      cells(painter, area.topLeft() + QPointF(0, -6), 1, false);
      return cells(painter, area.topLeft() + QPointF(0, 14), 4, false);
    case 1:
      drawBox(painter, card, 5, theme().inset, theme().border);
      drawLine(painter, card, QStringLiteral("0"), theme().text, textFont(11), Qt::AlignCenter);
      drawBox(painter, other, 5, theme().inset, theme().rank, 1.6);
      return drawLine(painter, other, QStringLiteral("1"), theme().text, textFont(11),
                      Qt::AlignCenter);
    case 2:
      for (int sheet = 2; sheet >= 0; --sheet) {
        drawBox(painter, card.translated(4 * sheet, 4 * sheet - 4), 4, theme().inset,
                theme().border);
      }
      return;
    case 3:
      drawBox(painter, card, 5, theme().inset, theme().border);
      drawBox(painter, other, 5, theme().inset, theme().border);
      drawBox(painter, QRectF(58, y + 4, 18, 18), 9, theme().card, theme().accent, 1.4);
      return drawLine(painter, QRectF(58, y + 4, 18, 18), QStringLiteral("+"), theme().accent,
                      textFont(12, Weight::Bold), Qt::AlignCenter);
    case 4:
      return cells(painter, area.topLeft() + QPointF(0, 4), 2, true);
    case 5:
      painter.setPen(QPen(theme().faint, 1, Qt::DashLine));
      painter.setBrush(Qt::NoBrush);
      return painter.drawRoundedRect(card.adjusted(0, 0, 30, 0), 4, 4);
    case 6:
      cells(painter, area.topLeft() + QPointF(0, -6), 3, false);
      painter.setPen(QPen(theme().muted, 1, Qt::DashLine));
      painter.setBrush(Qt::NoBrush);
      return painter.drawRect(QRectF(24.5, y + 14.5, 57, 16));
    case 7:
      for (int i = 0; i < 3; ++i) {
        const bool set = i != 1;
        drawBox(painter, QRectF(24 + 20 * i, y + 4, 16, 16), 3, set ? theme().set : theme().card,
                set ? QColor() : theme().muted, 1.2);
      }
      return;
    case 8:
      drawBox(painter, QRectF(18, y - 4, 98, 34), 8, theme().accentSoft, theme().accent, 2);
      drawBox(painter, card, 5, theme().card, theme().rank, 1.6);
      return drawBox(painter, other, 5, theme().card, theme().rank, 1.6);
    case 9: {
      constexpr double kBar = 11;
      const QColor implicit = mixed(theme().bad, theme().card, 0.7);
      drawBox(painter, QRectF(24, y - 4, 34, kBar), 2, mixed(theme().good, theme().card, 0.64),
              QColor());
      drawBox(painter, QRectF(62, y - 4, 34, kBar), 2, implicit, theme().bad, 1.4);
      drawBox(painter, QRectF(24, y + 14, 34, kBar), 2, mixed(theme().muted, theme().card, 0.6),
              QColor());
      drawBox(painter, QRectF(62, y + 14, 34, kBar), 2, QColor(), theme().bad, 1.4);
      return drawHatch(painter, QRectF(62, y + 14, 34, kBar), theme().bad);
    }
    case 10:
      drawBox(painter, QRectF(24, y - 2, 18, 22), 2.5, mixed(theme().accent, theme().card, 0.74),
              theme().accent, 1.4);
      drawBox(painter, QRectF(62, y - 2, 54, 22), 2.5, QColor(), theme().accent, 1.4);
      drawLine(painter, QRectF(24, y - 2, 18, 22), QStringLiteral("AG"), theme().text,
               textFont(11, Weight::Bold), Qt::AlignCenter);
      return drawLine(painter, QRectF(62, y - 2, 54, 22), QStringLiteral("9 × AG"), theme().text,
                      textFont(11, Weight::Bold), Qt::AlignCenter);
    case 11:
      painter.drawPixmap(QPointF(24, y + 4), tintedIcon(QStringLiteral("cache_hit"), theme().good,
                                                        18, sharpness(painter)));
      return painter.drawPixmap(
          QPointF(56, y + 4),
          tintedIcon(QStringLiteral("cache_miss"), theme().warn, 18, sharpness(painter)));
    case 12:
      painter.fillRect(QRectF(20, y - 2, kSample, 15), theme().accentSoft);
      painter.fillRect(QRectF(20, y - 2, 3, 15), theme().accent);
      drawLine(painter, QRectF(28, y - 2, 80, 15), QStringLiteral("now"), theme().text,
               textFont(11, Weight::Bold));
      return drawLine(painter, QRectF(28, y + 14, 80, 15), QStringLiteral("later"), theme().faint,
                      textFont(11));
    case 13:
      drawBox(painter, QRectF(24, y + 4, 18, 18), 3, theme().warnSoft, theme().warn);
      for (const double left : {26.0, 58.0}) {
        painter.drawPixmap(QPointF(left, y + 6), tintedIcon(QStringLiteral("differs"), theme().warn,
                                                            14, sharpness(painter)));
      }
      return;
    default:
      cells(painter, area.topLeft() + QPointF(0, 4), 4, false);
      drawBox(painter, QRectF(44, y + 4, 18, 18), 2, QColor(), theme().bad, 1.6);
  }
}

// Draws all rows.
class LegendRows final : public QWidget {
 public:
  LegendRows() {
    atEachZoom(this, [this] {
      setFixedSize(zoomed(kWidth), zoomed(2 * kTop + kRow * static_cast<int>(kRows.size())));
    });
  }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme().card);
    zoom(painter);
    for (std::size_t row = 0; row < kRows.size(); ++row) {
      const double y = kTop + kRow * static_cast<double>(row);
      sample(painter, static_cast<int>(row), y + 10);
      const QRectF text(144, y + 4, kWidth - 164.0, 19);
      drawLine(painter, text, QLatin1String(kRows[row].first), theme().text,
               textFont(12, Weight::Bold));
      drawLine(painter, text.translated(0, 18), QString::fromUtf8(kRows[row].second), theme().muted,
               textFont(11));
    }
  }
};

}  // namespace

Legend::Legend(QWidget* window) : Sheet(QStringLiteral("legend"), tr("Legend"), window) {
  QStringList words;
  for (const auto& [name, text] : kRows) {
    words << QStringLiteral("%1: %2").arg(QLatin1String(name), QString::fromUtf8(text));
  }
  setAccessibleName(tr("How things are drawn"));
  setAccessibleDescription(words.join(u'\n'));
  content().setContentsMargins(0, 0, 0, 0);
  content().addWidget(new LegendRows);
  setFocusProxy(&scrolling());
  scrolling().setFocusPolicy(Qt::ClickFocus);
}

}  // namespace shardlens
