#include "ui/panels/mesh_panel.h"

#include "core/trace/journal/tensor_ranks.h"
#include "core/view/words/role_words.h"
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
    const auto& roles = canvas_->programs();
    for (std::size_t i = 0; roles.size() > 1 && i < roles.size(); ++i) {
      if (contains(roles[i].ranks, *rank)) {
        offerQuery(menu, tr("role"), QStringLiteral("role:%1").arg(i + 1));
      }
    }
  }
  if (const EventId event = canvas_->collective(); event != 0) {
    offer(tr("Go to the collective"), [this, event] { Q_EMIT positionRequested(event); });
    offerSimilar(menu, tr("collective"), event);
  }
}

// Computes the roles. Skips journals that grew by less than an eighth since the last search,
// because a search reads each step of each rank.
void MeshPanel::setPrograms(const Journal& journal) {
  const EventId size = journal.size();
  if (searched_ == &journal && size >= searchedSize_ && size - searchedSize_ <= searchedSize_ / 8) {
    return;
  }
  searched_ = &journal;
  searchedSize_ = size;
  canvas_->setPrograms(programRoles(journal));
  QStringList texts;
  constexpr qsizetype kMost = 24;
  for (const ProgramRole& role : canvas_->programs()) {
    if (texts.size() == kMost) {
      texts << tr("%1 roles").arg(canvas_->programs().size());
      break;
    }
    texts << tr("role %1: %2")
                 .arg(texts.size() + 1)
                 .arg(toQString(view::programRoleText(journal, role)));
  }
  header()->setToolTip(texts.size() > 1 ? texts.join(u'\n') : QString());
}

void MeshPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  focus_ = snapshot.focus;
  setPrograms(journal);
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
  QString ranks = countText(mesh->size(), tr("rank"), tr("ranks"));
  if (const auto roles = canvas_->programs().size(); roles > 1) {
    ranks = tr("%1 in %2 roles").arg(ranks).arg(roles);
  }
  const QString note = backend.empty() ? ranks : tr("%1, %2").arg(ranks, toQString(backend));
  const auto hosted = hostedRanges(journal);
  const bool all = hosted.empty() || hosted == std::vector{RankRange{0, mesh->size() - 1}};
  header()->setNote(all ? note : tr("%1, %2 in this process").arg(note, rangesLabel(hosted)));
}

const MeshScene& MeshPanel::scene() const { return canvas_->scene(); }

}  // namespace shardlens
