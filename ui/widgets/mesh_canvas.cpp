#include "ui/widgets/mesh_canvas.h"

#include "core/trace/journal/tensor_ranks.h"
#include "core/view/words/role_words.h"
#include "ui/text/format.h"
#include "ui/widgets/accessible_value.h"
#include "ui/widgets/arrow_keys.h"
#include "ui/widgets/own_action.h"
#include "ui/widgets/paint.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <QStringList>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace shardlens {
namespace {

constexpr double kMeshMargin = 8;
constexpr double kMeshFoot = 44;
constexpr double kMostMagnified = 6;
constexpr double kNumbered = 12;  // minimum height of a box with a number

bool isOwnKey(int key) { return sideOf(key) || (key >= Qt::Key_1 && key <= Qt::Key_9); }

struct BoxLine {
  QString text;
  QFont font;
  QColor colour;
};

// Returns the lines that fit below the number, the most important first. Lines that would be elided
// are omitted; the tool tip has them.
std::vector<BoxLine> linesOf(const MeshRank& rank, double width, double height) {
  const auto most = static_cast<std::size_t>(std::max(0.0, (rank.rect.height() - 22) / height));
  const auto fits = [width](const QString& text, const QFont& font) {
    return !text.isEmpty() && QFontMetricsF(font).horizontalAdvance(text) <= width;
  };
  const QFont words = textFont(10);
  std::vector<BoxLine> lines;
  for (const auto& [text, font] :
       {std::pair(fits(rank.role, words) ? rank.role : rank.shortRole, words),
        std::pair(rank.localShape, codeFont(10)), std::pair(rank.device, codeFont(10))}) {
    if (fits(text, font) && lines.size() < most) {
      lines.push_back({text, font, font == words ? theme().text : theme().muted});
    }
  }
  return lines;
}

// Draws a rank. `isNow`: the collective is in progress; then members are highlighted unless its
// groups have frames.
void drawRank(QPainter& painter, const MeshRank& rank, bool isNow, bool hasFrames) {
  constexpr double kLine = 14;
  const bool joins = isNow && !hasFrames && rank.joined;
  const double radius = std::min(6.0, rank.rect.height() / 5);
  const QColor outline = rank.atFault ? theme().bad : joins ? theme().accent : theme().rank;
  const QColor fill = rank.atFault ? theme().badSoft : joins ? theme().accentSoft : theme().card;
  drawBox(painter, rank.rect, radius, fill, QColor());
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(outline, rank.joined || rank.atFault ? 1.8 : 1.2,
                      rank.here ? Qt::SolidLine : Qt::DashLine));
  painter.drawRoundedRect(rank.rect.adjusted(0.6, 0.6, -0.6, -0.6), radius, radius);
  if (rank.rect.height() < kNumbered) {
    return;
  }
  const QRectF inside = rank.rect.adjusted(3, 0, -3, 0);
  if (rank.group > 0 && rank.rect.height() >= 34) {
    drawLine(painter, QRectF(inside.left(), inside.top() + 2, inside.width(), 12),
             QString::number(rank.group), theme().accent, textFont(9, Weight::Bold),
             Qt::AlignRight | Qt::AlignVCenter);
  }
  const auto lines = linesOf(rank, inside.width(), kLine);
  const double height = 17 + kLine * static_cast<double>(lines.size());
  QRectF place(inside.left(), inside.center().y() - height / 2, inside.width(), 17);
  const bool wide = rank.rect.width() >= 52;
  drawLine(painter, lines.empty() ? inside : place,
           wide ? ranksLabel({rank.rank}) : QString::number(rank.rank),
           isNow && !rank.joined ? theme().muted : theme().text,
           textFont(rank.rect.width() < 40 ? 9 : 11, Weight::Bold), Qt::AlignCenter);
  place = QRectF(place.left(), place.bottom(), place.width(), kLine);
  for (const BoxLine& line : lines) {
    drawLine(painter, place, line.text, line.colour, line.font, Qt::AlignCenter);
    place.translate(0, kLine);
  }
}

// Draws the mark of the current rank. It is larger than the box if the box is a dot.
void drawMark(QPainter& painter, const QRectF& box, bool hasFocus) {
  const double more = std::max(2.5, (9 - std::min(box.width(), box.height())) / 2);
  const QRectF mark = box.adjusted(-more, -more, more, more);
  drawBox(painter, mark.adjusted(-1, -1, 1, 1), 7, QColor(), theme().card, 1);
  drawBox(painter, mark, 6, QColor(), hasFocus ? theme().accent : theme().text, 2);
}

void drawAxis(QPainter& painter, const MeshAxis& axis) {
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

}  // namespace

MeshCanvas::MeshCanvas(QWidget* parent) : QAbstractScrollArea(parent) {
  setObjectName(QStringLiteral("meshCanvas"));
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setAutoFillBackground(false);
  connect(&Zoom::now(), &Zoom::changed, this, &MeshCanvas::layOut);
  addOwnAction(*this, tr("Show shard"), Qt::Key_Return, [this] {
    if (current_) Q_EMIT shardRequested(*current_);
  });
  addOwnAction(*this, tr("Zoom in"), Qt::Key_Plus, [this] { magnify(1); });
  addOwnAction(*this, tr("Zoom out"), Qt::Key_Minus, [this] { magnify(-1); });
  addOwnAction(*this, tr("Reset zoom"), Qt::Key_0, [this] { magnify(0); });
}

void MeshCanvas::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  const bool isMoved = journal_ != &journal || snapshot_.position != snapshot.position;
  journal_ = &journal;
  snapshot_ = snapshot;
  if (current_ && *current_ >= ranks()) {
    current_.reset();
  }
  layOut();
  if (isMoved) {
    followEvent();
  }
  QStringList parts{tr("Mesh"), scene_.collective, scene_.bytes};
  parts.removeAll(QString());
  setAccessibleName(parts.join(QStringLiteral(", ")));
  updateAccessibleCurrent();
}

int MeshCanvas::ranks() const {
  const auto mesh = journal_ == nullptr ? std::nullopt : shownMesh(*journal_);
  return mesh ? mesh->size() : 0;
}

EventId MeshCanvas::collective() const {
  return journal_ == nullptr ? 0 : shownCollective(*journal_, snapshot_).id;
}

std::optional<int> MeshCanvas::rankAt(QPointF place) const {
  place = unzoomed(place) - QPointF(kMeshMargin, kMeshMargin);
  const auto found = std::find_if(scene_.ranks.begin(), scene_.ranks.end(),
                                  [&](const MeshRank& rank) { return rank.rect.contains(place); });
  return found == scene_.ranks.end() || !scene_.inside.contains(place) ? std::nullopt
                                                                       : std::optional(found->rank);
}

QString MeshCanvas::words(int rank) const {
  const MeshRank it = describeRank(*journal_, snapshot_, rank);
  QStringList words{ranksLabel({rank}) + coordinateText(rank)};
  words << it.role << (it.group > 0 ? tr("group %1").arg(it.group) : QString())
        << (it.localShape.isEmpty() ? QString() : tr("part: %1").arg(it.localShape))
        << (it.device.isEmpty() ? tr("device unknown") : it.device)
        << (it.here ? QString() : tr("in another process"));
  for (std::size_t i = 0; roles_.size() > 1 && i < roles_.size(); ++i) {
    if (contains(roles_[i].ranks, rank)) {
      words << tr("role %1: program of %2")
                   .arg(i + 1)
                   .arg(toQString(view::programRoleText(*journal_, roles_[i])));
    }
  }
  words.removeAll(QString());
  return words.join(u'\n');
}

QString MeshCanvas::coordinateText(int rank) const {
  const auto mesh = shownMesh(*journal_);
  QStringList parts;
  for (int dim = 0; mesh && mesh->ndim() > 1 && dim < mesh->ndim(); ++dim) {
    parts << QStringLiteral("%1 %2").arg(toQString(mesh->names()[static_cast<std::size_t>(dim)]),
                                         QString::number(mesh->coordinate(rank, dim)));
  }
  return parts.isEmpty() ? QString() : QStringLiteral(": ") + parts.join(QStringLiteral(", "));
}

QSizeF MeshCanvas::area() const {
  const QSizeF seen = unzoomed(QSizeF(viewport()->size()));
  return QSizeF(seen.width() - 2 * kMeshMargin, seen.height() - 2 * kMeshMargin - kMeshFoot)
      .expandedTo(QSizeF(1, 1));
}

void MeshCanvas::layOut() {
  if (journal_ == nullptr) {
    return;
  }
  const QPointF scrolled(horizontalScrollBar()->value(), verticalScrollBar()->value());
  scene_ = layoutMesh(*journal_, snapshot_, area(), {scrolled, magnifier_.factor()});
  const auto range = [](QScrollBar* bar, double all, double seen) {
    bar->setRange(0, std::max(0, static_cast<int>(std::ceil(all - seen - 0.01))));
    bar->setPageStep(static_cast<int>(seen));
    bar->setSingleStep(24);
  };
  range(horizontalScrollBar(), scene_.size.width(), area().width());
  range(verticalScrollBar(), scene_.size.height(), area().height());
  viewport()->update();
}

// Keeps the current rank visible, or else the centre of the view in place.
void MeshCanvas::magnify(int steps) {
  const QSizeF before = scene_.size;
  const QPointF middle(horizontalScrollBar()->value() + area().width() / 2,
                       verticalScrollBar()->value() + area().height() / 2);
  if (!magnifier_.zoom(steps, kMostMagnified)) {
    return;
  }
  layOut();
  if (current_) {
    return scrollTo(*current_);
  }
  const auto keep = [](QScrollBar* bar, double at, double seen) {
    bar->setValue(static_cast<int>(at - seen / 2));
  };
  keep(horizontalScrollBar(), middle.x() * scene_.size.width() / before.width(), area().width());
  keep(verticalScrollBar(), middle.y() * scene_.size.height() / before.height(), area().height());
}

void MeshCanvas::scrollTo(int rank) {
  constexpr double kBeside = 6;
  const auto reach = [](QScrollBar* bar, double low, double high, double from, double to) {
    if (low < from) {
      bar->setValue(bar->value() - static_cast<int>(std::ceil(from - low)));
    } else if (high > to) {
      bar->setValue(bar->value() + static_cast<int>(std::ceil(high - to)));
    }
  };
  const QRectF box = scene_.boxOf(rank).adjusted(-kBeside, -kBeside, kBeside, kBeside);
  reach(horizontalScrollBar(), box.left(), box.right(), scene_.inside.left(),
        scene_.inside.right());
  reach(verticalScrollBar(), box.top(), box.bottom(), scene_.inside.top(), scene_.inside.bottom());
}

void MeshCanvas::followEvent() {
  const EventId event = snapshot_.position;
  if (journal_ == nullptr || event == 0 || event > journal_->size()) {
    return;
  }
  const int count = ranks();
  if (const auto faults = shownFaults(*journal_, snapshot_);
      !faults.empty() && faults.front() < count) {
    return scrollTo(faults.front());
  }
  const auto members = parseRankRanges(journal_->text(journal_->at(event).ranks));
  const auto isMember = [&](const MeshRank& each) { return contains(members, each.rank); };
  if (!members.empty() && members.front().first < count &&
      std::ranges::none_of(scene_.ranks, isMember)) {
    scrollTo(members.front().first);
  }
}

void MeshCanvas::goTo(int rank) {
  current_ = rank;
  scrollTo(rank);
  updateAccessibleCurrent();
  viewport()->update();
}

void MeshCanvas::updateAccessibleCurrent() {
  const QString all = current_ ? words(*current_) : QString();
  setAccessibleCurrent(*this, all.section(u'\n', 0, 0), all.section(u'\n', 1));
}

void MeshCanvas::drawGroups(QPainter& painter) const {
  const bool running = scene_.tense == CollectiveTense::Now;
  for (const QRectF& group : scene_.groups) {
    if (running) {
      drawBox(painter, group, 9, theme().accentSoft, theme().accent, 2);
    }
  }
  painter.setPen(QPen(theme().accent, 2, running ? Qt::SolidLine : Qt::DotLine));
  for (const MeshEdge& edge : scene_.edges) {
    painter.drawLine(edge.from, edge.to);
  }
}

void MeshCanvas::drawFoot(QPainter& painter) const {
  const bool running = scene_.tense == CollectiveTense::Now;
  const QRectF line(0, area().height() + 4, area().width(), 18);
  drawLine(painter, line, (running ? QString() : tr("next: ")) + scene_.collective, theme().accent,
           textFont(12, Weight::Bold), Qt::AlignCenter);
  drawLine(painter, line.translated(0, 19), scene_.bytes, theme().muted, textFont(11),
           Qt::AlignCenter);
}

void MeshCanvas::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(viewport());
  painter.setRenderHint(QPainter::Antialiasing);
  const bool running = scene_.tense == CollectiveTense::Now;
  zoom(painter);
  painter.translate(kMeshMargin, kMeshMargin);
  for (const MeshAxis& axis : scene_.axes) {
    drawAxis(painter, axis);
  }
  painter.save();
  painter.setClipRect(scene_.inside);
  drawGroups(painter);
  for (const MeshRank& rank : scene_.ranks) {
    drawRank(painter, rank, running, !scene_.groups.empty());
  }
  for (const MeshLabel& label : scene_.labels) {
    drawBox(painter, label.rect, 3, running ? theme().accentSoft : theme().card, QColor());
    drawLine(painter, label.rect, label.text, theme().accent, textFont(9, Weight::Bold),
             Qt::AlignCenter);
  }
  if (current_) {
    drawMark(painter, scene_.boxOf(*current_), hasFocus());
  }
  painter.restore();
  if (scene_.tense != CollectiveTense::None) {
    drawFoot(painter);
  }
}

void MeshCanvas::resizeEvent(QResizeEvent* /*event*/) {
  layOut();
  followEvent();
}
void MeshCanvas::scrollContentsBy(int /*dx*/, int /*dy*/) { layOut(); }

// Reserves the widget's keys before the window's shortcuts take them.
bool MeshCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (isOwnKey(key->key()) && (key->modifiers() & ~Qt::KeypadModifier) == 0) {
      event->accept();
      return true;
    }
  }
  return QAbstractScrollArea::event(event);
}

bool MeshCanvas::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto rank = rankAt(help->pos());
    QToolTip::showText(help->globalPos(), rank ? words(*rank) : QString(), viewport());
    return true;
  }
  if (event->type() == QEvent::MouseButtonDblClick && collective() != 0) {
    Q_EMIT collectiveRequested();
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

void MeshCanvas::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  const auto side = sideOf(key);
  if (side && ranks() > 0) {
    return goTo(current_ ? scene_.grid.neighbour(*current_, *side) : 0);
  }
  if (isOwnKey(key) && !side && !(event->modifiers() & Qt::ControlModifier)) {
    return void(Q_EMIT numberTyped(event->text()));
  }
  if (key == Qt::Key_Enter && current_) {
    return void(Q_EMIT shardRequested(*current_));
  }
  QAbstractScrollArea::keyPressEvent(event);
}

void MeshCanvas::wheelEvent(QWheelEvent* event) {
  if (event->modifiers() & Qt::ControlModifier) {
    if (event->angleDelta().y() != 0) {
      magnify(event->angleDelta().y() > 0 ? 1 : -1);
    }
    return event->accept();
  }
  QAbstractScrollArea::wheelEvent(event);
}

void MeshCanvas::mousePressEvent(QMouseEvent* event) {
  if (const auto rank = rankAt(event->position())) {
    goTo(*rank);
  }
}

void MeshCanvas::focusInEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusInEvent(event);
  if (!current_ && event->reason() != Qt::MouseFocusReason && ranks() > 0) {
    goTo(0);
  }
  viewport()->update();
}

void MeshCanvas::focusOutEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusOutEvent(event);
  viewport()->update();
}

// The rectangle of the current rank, where the context menu opens by the menu key.
QVariant MeshCanvas::inputMethodQuery(Qt::InputMethodQuery query) const {
  if (query != Qt::ImCursorRectangle || !current_) {
    return QAbstractScrollArea::inputMethodQuery(query);
  }
  const QRectF box = scene_.boxOf(*current_).translated(kMeshMargin, kMeshMargin);
  const double factor = Zoom::now().factor();
  return QRectF(box.topLeft() * factor, box.size() * factor).toRect();
}

}  // namespace shardlens
