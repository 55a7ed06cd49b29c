#include "ui/panels/mesh_panel.h"

#include "ui/models/format.h"
#include "ui/panels/paint.h"
#include "ui/scenes/tensor_view.h"

#include <QVBoxLayout>

namespace shardlens {

class MeshCanvas final : public QWidget {
 public:
  explicit MeshCanvas(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("meshCanvas"));
  }

  void setSnapshot(const Journal& journal, const Snapshot& snapshot) {
    journal_ = &journal;
    snapshot_ = snapshot;
    const MeshScene now = scene();
    setAccessibleName(now.tense == CollectiveTense::None
                          ? QObject::tr("Mesh")
                          : QStringLiteral("%1, %2").arg(now.collective, now.bytes));
    update();
  }

  MeshScene scene() const {
    constexpr double kFoot = 48;
    return journal_ == nullptr
               ? MeshScene()
               : layoutMesh(*journal_, snapshot_, QSizeF(width() - 32, height() - kFoot - 14));
  }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const MeshScene now = scene();
    const bool running = now.tense == CollectiveTense::Now;
    painter.translate(16, 8);
    for (const QRectF& group : now.groups) {
      if (running) {
        drawBox(painter, group, 9, theme().accentSoft, theme().accent, 2);
      }
    }
    painter.setPen(QPen(theme().accent, 2, running ? Qt::SolidLine : Qt::DotLine));
    for (const MeshEdge& edge : now.edges) {
      painter.drawLine(edge.from, edge.to);
    }
    if (now.dots) {
      drawDots(painter, now.ranks);
    }
    for (const MeshRank& rank : now.dots ? std::vector<MeshRank>() : now.ranks) {
      drawRank(painter, rank, running && now.groups.empty());
    }
    for (const MeshAxis& axis : now.axes) {
      drawAxis(painter, axis);
    }
    if (now.tense == CollectiveTense::None) {
      return;
    }
    const QRectF line(0, height() - 52.0, width() - 32, 18);
    drawLine(painter, line, (running ? QString() : QObject::tr("next: ")) + now.collective,
             theme().accent, textFont(12, Weight::Bold), Qt::AlignCenter);
    drawLine(painter, line.translated(0, 20), now.bytes, theme().muted, textFont(11),
             Qt::AlignCenter);
  }

 private:
  static void drawDots(QPainter& painter, const std::vector<MeshRank>& ranks) {
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const MeshRank& rank : ranks) {
      const QColor colour = rank.joined ? theme().accent : theme().border;
      painter.fillRect(rank.rect, rank.here ? theme().rank : colour);
    }
    painter.setRenderHint(QPainter::Antialiasing);
  }

  // Loud: the groups that communicate now have no frames to show them.
  static void drawRank(QPainter& painter, const MeshRank& rank, bool loud) {
    const bool joins = loud && rank.joined;
    drawBox(painter, rank.rect, 6, joins ? theme().accentSoft : theme().card, QColor());
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(joins ? theme().accent : theme().rank, rank.joined ? 1.8 : 1.2,
                        rank.here ? Qt::SolidLine : Qt::DashLine));
    painter.drawRoundedRect(rank.rect.adjusted(0.6, 0.6, -0.6, -0.6), 6, 6);
    if (rank.group > 0) {
      const QRectF corner(rank.rect.right() - 19, rank.rect.top() + 2, 16, 12);
      drawLine(painter, corner, QString::number(rank.group), theme().accent,
               textFont(9, Weight::Bold), Qt::AlignRight | Qt::AlignVCenter);
    }
    const bool tall = rank.rect.height() >= 44 && !rank.holds.isEmpty();
    const QRectF inside = rank.rect.adjusted(3, 6, -3, -6);
    const bool wide = rank.rect.width() >= 52;
    drawLine(
        painter,
        tall ? QRectF(inside.left(), inside.top(), inside.width(), inside.height() / 2) : inside,
        wide ? ranksLabel({rank.rank}) : QString::number(rank.rank), theme().text,
        textFont(11, Weight::Bold), Qt::AlignCenter);
    if (tall) {
      drawLine(painter,
               QRectF(inside.left(), inside.center().y(), inside.width(), inside.height() / 2),
               rank.holds, theme().muted, codeFont(10), Qt::AlignCenter);
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
};

MeshPanel::MeshPanel(QWidget* parent)
    : Panel(QStringLiteral("meshPanel"), tr("Mesh"), parent), canvas_(new MeshCanvas(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(1, 0, 1, 1);
  layout->addWidget(canvas_);
  setMinimumSize(180, 140);
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
  const auto hosted = hostedRanks(journal);
  header()->setNote(hosted == mesh->ranks() || hosted.empty()
                        ? note
                        : tr("%1, %2 in this process").arg(note, ranksLabel(hosted)));
}

MeshScene MeshPanel::scene() const { return canvas_->scene(); }

}  // namespace shardlens
