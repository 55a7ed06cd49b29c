#include "ui/panels/mesh_panel.h"

#include "core/trace/journal/tensor_ranks.h"
#include "ui/text/format.h"
#include "ui/widgets/paint.h"

#include <QAbstractScrollArea>
#include <QClipboard>
#include <QGuiApplication>
#include <QHelpEvent>
#include <QMenu>
#include <QScrollBar>
#include <QStringList>
#include <QToolTip>
#include <QVBoxLayout>
#include <cmath>
#include <functional>

namespace shardlens {
namespace {

QString rangesLabel(const std::vector<RankRange>& ranges) {
  constexpr qsizetype kMost = 6;
  if (ranges.size() == 1 && ranges.front().first == ranges.front().last) {
    return ranksLabel({ranges.front().first});
  }
  QStringList parts;
  for (const RankRange& range : ranges) {
    if (parts.size() == kMost) {
      parts << QStringLiteral("…");
      break;
    }
    const bool many = range.last - range.first > 1;
    parts << (many ? QStringLiteral("%1–%2").arg(range.first).arg(range.last)
              : range.first == range.last
                  ? QString::number(range.first)
                  : QStringLiteral("%1, %2").arg(range.first).arg(range.last));
  }
  return QObject::tr("ranks ") + parts.join(QStringLiteral(", "));
}

}  // namespace

// The ranks, and under them what the collective is. It lays out what can be seen, whenever that
// changes.
class MeshCanvas final : public QAbstractScrollArea {
 public:
  explicit MeshCanvas(QWidget* parent) : QAbstractScrollArea(parent) {
    setObjectName(QStringLiteral("meshCanvas"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    viewport()->setAutoFillBackground(false);
    connect(&Zoom::now(), &Zoom::changed, this, [this] { layOut(); });
  }

  void setSnapshot(const Journal& journal, const Snapshot& snapshot) {
    journal_ = &journal;
    snapshot_ = snapshot;
    layOut();
    setAccessibleName(scene_.tense == CollectiveTense::None
                          ? QObject::tr("Mesh")
                          : QStringLiteral("%1, %2").arg(scene_.collective, scene_.bytes));
  }

  const MeshScene& scene() const { return scene_; }
  EventId collective() const {
    return journal_ == nullptr ? 0 : shownCollective(*journal_, snapshot_).id;
  }

  std::function<void(EventId)> go;

  QString words(QPointF place) const {
    place = unzoomed(place) - QPointF(kMargin, kMargin);
    for (const MeshRank& rank : scene_.ranks) {
      if (rank.rect.contains(place) && scene_.inside.contains(place)) {
        QStringList words{ranksLabel({rank.rank}) + coordinateText(rank.rank)};
        words << (rank.holds.isEmpty() ? QString() : QObject::tr("holds %1").arg(rank.holds))
              << (rank.group > 0 ? QObject::tr("group %1").arg(rank.group) : QString());
        words.removeAll(QString());
        return words.join(u'\n');
      }
    }
    return {};
  }

 protected:
  void resizeEvent(QResizeEvent* /*event*/) override { layOut(); }
  void scrollContentsBy(int /*dx*/, int /*dy*/) override { layOut(); }

  bool viewportEvent(QEvent* event) override {
    if (event->type() == QEvent::ToolTip) {
      const auto* help = static_cast<QHelpEvent*>(event);
      QToolTip::showText(help->globalPos(), words(help->pos()), viewport());
      return true;
    }
    if (event->type() == QEvent::MouseButtonDblClick && collective() != 0) {
      go(collective());
      return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
  }

  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    const bool running = scene_.tense == CollectiveTense::Now;
    zoom(painter);
    painter.translate(kMargin, kMargin);
    for (const MeshAxis& axis : scene_.axes) {
      drawAxis(painter, axis);
    }
    painter.save();
    painter.setClipRect(scene_.inside);
    for (const QRectF& group : scene_.groups) {
      if (running) {
        drawBox(painter, group, 9, theme().accentSoft, theme().accent, 2);
      }
    }
    painter.setPen(QPen(theme().accent, 2, running ? Qt::SolidLine : Qt::DotLine));
    for (const MeshEdge& edge : scene_.edges) {
      painter.drawLine(edge.from, edge.to);
    }
    for (const MeshRank& rank : scene_.ranks) {
      drawRank(painter, rank, running && scene_.groups.empty());
    }
    painter.restore();
    if (scene_.tense == CollectiveTense::None) {
      return;
    }
    const QRectF line(0, area().height() + 4, area().width(), 18);
    drawLine(painter, line, (running ? QString() : QObject::tr("next: ")) + scene_.collective,
             theme().accent, textFont(12, Weight::Bold), Qt::AlignCenter);
    drawLine(painter, line.translated(0, 19), scene_.bytes, theme().muted, textFont(11),
             Qt::AlignCenter);
  }

 private:
  static constexpr double kMargin = 8;
  static constexpr double kFoot = 44;

  QSizeF area() const {
    const QSizeF seen = unzoomed(QSizeF(viewport()->size()));
    return QSizeF(seen.width() - 2 * kMargin, seen.height() - 2 * kMargin - kFoot)
        .expandedTo(QSizeF(1, 1));
  }

  void layOut() {
    if (journal_ == nullptr) {
      return;
    }
    const QPointF scrolled(horizontalScrollBar()->value(), verticalScrollBar()->value());
    scene_ = layoutMesh(*journal_, snapshot_, area(), scrolled);
    const auto range = [](QScrollBar* bar, double all, double seen) {
      bar->setRange(0, std::max(0, static_cast<int>(std::ceil(all - seen - 0.01))));
      bar->setPageStep(static_cast<int>(seen));
      bar->setSingleStep(24);
    };
    range(horizontalScrollBar(), scene_.size.width(), area().width());
    range(verticalScrollBar(), scene_.size.height(), area().height());
    viewport()->update();
  }

  QString coordinateText(int rank) const {
    const auto mesh = recordedMesh(*journal_);
    QStringList parts;
    for (int dim = 0; mesh && mesh->ndim() > 1 && dim < mesh->ndim(); ++dim) {
      parts << QStringLiteral("%1 %2").arg(toQString(mesh->names()[static_cast<std::size_t>(dim)]),
                                           QString::number(mesh->coordinate(rank, dim)));
    }
    return parts.isEmpty() ? QString() : QStringLiteral(": ") + parts.join(QStringLiteral(", "));
  }

  // Loud: the groups that communicate now have no frames to show them.
  static void drawRank(QPainter& painter, const MeshRank& rank, bool loud) {
    const bool joins = loud && rank.joined;
    const double radius = std::min(6.0, rank.rect.height() / 5);
    drawBox(painter, rank.rect, radius, joins ? theme().accentSoft : theme().card, QColor());
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(joins ? theme().accent : theme().rank, rank.joined ? 1.8 : 1.2,
                        rank.here ? Qt::SolidLine : Qt::DashLine));
    painter.drawRoundedRect(rank.rect.adjusted(0.6, 0.6, -0.6, -0.6), radius, radius);
    const QRectF inside = rank.rect.adjusted(3, 0, -3, 0);
    if (rank.group > 0 && rank.rect.height() >= 34) {
      drawLine(painter, QRectF(inside.left(), inside.top() + 2, inside.width(), 12),
               QString::number(rank.group), theme().accent, textFont(9, Weight::Bold),
               Qt::AlignRight | Qt::AlignVCenter);
    }
    // A shape that would be cut is left to the tooltip.
    const bool tall = rank.rect.height() >= 44 && !rank.holds.isEmpty() &&
                      QFontMetricsF(codeFont(10)).horizontalAdvance(rank.holds) <= inside.width();
    const double middle = rank.rect.center().y();
    const bool wide = rank.rect.width() >= 52;
    drawLine(painter, tall ? QRectF(inside.left(), middle - 17, inside.width(), 17) : inside,
             wide ? ranksLabel({rank.rank}) : QString::number(rank.rank), theme().text,
             textFont(rank.rect.width() < 40 ? 9 : 11, Weight::Bold), Qt::AlignCenter);
    if (tall) {
      drawLine(painter, QRectF(inside.left(), middle, inside.width(), 17), rank.holds,
               theme().muted, codeFont(10), Qt::AlignCenter);
    }
  }

  static void drawAxis(QPainter& painter, const MeshAxis& axis) {
    if (!axis.upright) {
      drawLine(painter, axis.rect, axis.name + QStringLiteral("  →"), theme().muted, textFont(10),
               Qt::AlignLeft | Qt::AlignVCenter);
      return;
    }
    painter.save();
    painter.translate(axis.rect.topRight());
    painter.rotate(90);
    drawLine(painter, QRectF(0, 0, axis.rect.height(), axis.rect.width()),
             axis.name + QStringLiteral("  →"), theme().muted, textFont(10),
             Qt::AlignLeft | Qt::AlignVCenter);
    painter.restore();
  }

  const Journal* journal_ = nullptr;
  Snapshot snapshot_;
  MeshScene scene_;
};

MeshPanel::MeshPanel(QWidget* parent) : Panel(parent), canvas_(new MeshCanvas(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(1, 0, 1, 1);
  layout->addWidget(canvas_);
  setMinimumSize(180, 140);
  canvas_->go = [this](EventId event) { Q_EMIT positionWanted(event); };
}

void MeshPanel::offerAt(QMenu& menu, QPoint place) {
  const QString words = canvas_->words(canvas_->viewport()->mapFrom(this, place));
  if (!words.isEmpty()) {
    connect(menu.addAction(tr("Copy what this rank is")), &QAction::triggered, this,
            [words] { QGuiApplication::clipboard()->setText(words); });
  }
  if (const EventId event = canvas_->collective(); event != 0) {
    connect(menu.addAction(tr("Go to the collective")), &QAction::triggered, this,
            [this, event] { Q_EMIT positionWanted(event); });
  }
}

void MeshPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  canvas_->setSnapshot(journal, snapshot);
  const auto mesh = recordedMesh(journal);
  if (!mesh) {
    header()->setDetail({});
    header()->setNote({});
    return;
  }
  QStringList axes;
  for (const std::string& name : mesh->names()) {
    axes << toQString(name);
  }
  header()->setDetail(axes.join(QStringLiteral(" × ")));
  const QString note = tr("%1, %2").arg(countText(mesh->size(), tr("rank"), tr("ranks")),
                                        toQString(journal.meta("backend")));
  const auto hosted = hostedRanges(journal);
  const bool all = hosted.empty() || hosted == std::vector{RankRange{0, mesh->size() - 1}};
  header()->setNote(all ? note : tr("%1, %2 in this process").arg(note, rangesLabel(hosted)));
}

MeshScene MeshPanel::scene() const { return canvas_->scene(); }

}  // namespace shardlens
