#include "ui/panels/mesh_panel.h"

#include "core/trace/journal/tensor_ranks.h"
#include "ui/scenes/theme.h"
#include "ui/text/format.h"
#include "ui/widgets/mesh_canvas.h"
#include "ui/widgets/rank_line.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QStringList>
#include <QVBoxLayout>

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

MeshPanel::MeshPanel(QWidget* parent)
    : Panel(parent), canvas_(new MeshCanvas), line_(new RankLine(*canvas_)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(1, 0, 1, 1);
  layout->setSpacing(0);
  layout->addWidget(line_);
  layout->addWidget(canvas_, 1);
  setFocusProxy(canvas_);
  connect(canvas_, &MeshCanvas::collectiveRequested, this,
          [this] { Q_EMIT positionRequested(canvas_->collective()); });
  connect(canvas_, &MeshCanvas::shardRequested, this, &MeshPanel::shardRequested);
  connect(canvas_, &MeshCanvas::numberTyped, line_, &RankLine::open);
}

void MeshPanel::openRankLine() { line_->open({}); }

void MeshPanel::offerAt(QMenu& menu, QPoint place) {
  const auto rank = canvas_->rankAt(canvas_->viewport()->mapFrom(this, place));
  const auto offer = [&](const QString& text, const auto& act) {
    connect(menu.addAction(text), &QAction::triggered, this, act);
  };
  if (rank) {
    const QString words = canvas_->words(*rank);
    offer(tr("Copy description of the rank"),
          [words] { QGuiApplication::clipboard()->setText(words); });
    if (focus_ != 0) {
      offer(tr("Show in Inspector"),
            [this, rank = *rank, tensor = focus_] { Q_EMIT elementRequested(tensor, rank, {}); });
    }
    offerQuery(menu, tr("rank"), QStringLiteral("rank:%1").arg(*rank));
  }
  if (const EventId event = canvas_->collective(); event != 0) {
    offer(tr("Go to the collective"), [this, event] { Q_EMIT positionRequested(event); });
    offerSimilar(menu, tr("collective"), event);
  }
}

void MeshPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  focus_ = snapshot.focus;
  canvas_->setSnapshot(journal, snapshot);
  const auto mesh = shownMesh(journal);
  if (!mesh) {
    header()->setDetail({});
    header()->setNote({});
    return;
  }
  QStringList axes;
  for (const std::string& name : mesh->names()) {
    axes << toQString(name);
  }
  header()->setDetail(recordedMesh(journal) ? axes.join(QStringLiteral(" × "))
                                            : tr("mesh layout unknown"));
  const auto backend = journal.meta("backend");
  const QString ranks = countText(mesh->size(), tr("rank"), tr("ranks"));
  const QString note = backend.empty() ? ranks : tr("%1, %2").arg(ranks, toQString(backend));
  const auto hosted = hostedRanges(journal);
  const bool all = hosted.empty() || hosted == std::vector{RankRange{0, mesh->size() - 1}};
  header()->setNote(all ? note : tr("%1, %2 in this process").arg(note, rangesLabel(hosted)));
}

const MeshScene& MeshPanel::scene() const { return canvas_->scene(); }

}  // namespace shardlens
