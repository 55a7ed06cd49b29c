#include "ui/widgets/query_line.h"

#include "core/query/language/event_filter.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QCompleter>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QShortcut>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>

namespace shardlens {
namespace {

// Converts a byte offset of a query to a character offset of the line.
int charactersOf(const QByteArray& text, std::size_t bytes) {
  return static_cast<int>(QString::fromUtf8(text.left(static_cast<qsizetype>(bytes))).size());
}

}  // namespace

// A line edit that underlines a syntax error.
class QueryLine::Edit final : public QLineEdit {
 public:
  void setMistake(int at, int length) {
    at_ = at;
    length_ = length;
    update();
  }

 protected:
  void paintEvent(QPaintEvent* event) override {
    QLineEdit::paintEvent(event);
    if (length_ == 0) {
      return;
    }
    const QFontMetricsF metrics(font());
    const QRect cursor = cursorRect();
    const auto widthOf = [&](int characters) {
      return metrics.horizontalAdvance(text().left(characters));
    };
    const double origin = cursor.center().x() - widthOf(cursorPosition());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(rect().adjusted(6, 0, -6, 0));
    painter.setPen(QPen(theme().bad, 1.5, Qt::DotLine));
    const double y = cursor.bottom() - 0.5;
    const double last = std::max(origin + widthOf(at_ + length_), origin + widthOf(at_) + 6);
    painter.drawLine(QPointF(origin + widthOf(at_), y), QPointF(last, y));
  }

 private:
  int at_ = 0;
  int length_ = 0;
};

QueryLine::QueryLine(const QString& name, const QString& accessibleName)
    : edit_(new Edit),
      mistakeText_(new QLabel),
      offers_(new QStandardItemModel(this)),
      popup_(new QCompleter(offers_, this)) {
  edit_->setObjectName(name);
  edit_->setAccessibleName(accessibleName);
  edit_->setPlaceholderText(tr("kind:collective bytes>1MB -axis:dp"));
  edit_->setClearButtonEnabled(true);
  edit_->findChild<QAbstractButton*>()->setAccessibleName(tr("Clear the query"));
  edit_->setToolTip(
      tr("Words, field:value and field>amount. A minus excludes a term. Ctrl+Space shows "
         "completions."));
  mistakeText_->setObjectName(name + QStringLiteral("Mistake"));
  mistakeText_->setForegroundRole(kBadRole);
  mistakeText_->setTextFormat(Qt::PlainText);
  mistakeText_->setWordWrap(true);
  mistakeText_->hide();
  popup_->setWidget(edit_);
  popup_->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
  popup_->setMaxVisibleItems(10);
  popup_->popup()->setObjectName(name + QStringLiteral("Offers"));
  popup_->popup()->setAccessibleName(tr("Completions"));
  popup_->popup()->setProperty("offers", true);
  atEachZoom(this, [this] {
    edit_->setFont(zoomed(codeFont(11)));
    edit_->setFixedHeight(zoomed(24));
    mistakeText_->setFont(zoomed(textFont(11)));
    popup_->popup()->setFont(zoomed(codeFont(11)));
  });
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(3);
  column->addWidget(edit_);
  column->addWidget(mistakeText_);
  setFocusProxy(edit_);

  new QShortcut(Qt::CTRL | Qt::Key_Space, edit_, this, &QueryLine::offer, Qt::WidgetShortcut);
  connect(edit_, &QLineEdit::textChanged, this, &QueryLine::read);
  connect(edit_, &QLineEdit::textEdited, this, &QueryLine::offer);
  connect(edit_, &QLineEdit::editingFinished, this, &QueryLine::showMistake);
  connect(popup_, qOverload<const QModelIndex&>(&QCompleter::activated), this,
          [this](const QModelIndex& index) { take(index.row()); });
  search_.setSingleShot(true);
  search_.setInterval(0);
  connect(&search_, &QTimer::timeout, this, [this] {
    if (edit_->hasFocus()) {
      showOffers();
    }
  });
}

void QueryLine::setJournal(const Journal& journal) {
  if (journal_ != &journal) {
    journal_ = &journal;
    completer_ = std::make_unique<Completer>(journal);
    search_.stop();
    popup_->popup()->hide();
  }
}

QString QueryLine::text() const { return edit_->text(); }

QLineEdit& QueryLine::edit() const { return *edit_; }

void QueryLine::setText(const QString& text) { edit_->setText(text); }

QString QueryLine::mistake() const {
  return mistakeText_->isHidden() ? QString() : mistakeText_->text();
}

tl::expected<Query, QueryMistake> QueryLine::parsed() const {
  const QByteArray text = edit_->text().toUtf8();
  const std::string_view view(text.data(), static_cast<std::size_t>(text.size()));
  return journal_ == nullptr ? parseQuery(view) : parseQuery(view, *journal_);
}

void QueryLine::read() {
  const auto query = parsed();
  query_ = query ? std::optional(*query) : std::nullopt;
  showMistake();
  Q_EMIT queryChanged();
}

// While completions are offered, an incomplete text is not reported as an error.
void QueryLine::showMistake() {
  const QByteArray text = edit_->text().toUtf8();
  const auto query = parsed();
  if (query || popup_->popup()->isVisible()) {
    edit_->setMistake(0, 0);
    mistakeText_->hide();
    return;
  }
  const QueryMistake& mistake = query.error();
  const int at = charactersOf(text, mistake.at);
  edit_->setMistake(at, std::max(1, charactersOf(text, mistake.at + mistake.length) - at));
  mistakeText_->setText(tr("at %1: %2").arg(at + 1).arg(QString::fromStdString(mistake.message)));
  mistakeText_->show();
}

void QueryLine::offer() {
  offered_.clear();
  showOffers();
}

// Shows the completions found so far. The timer continues the search of the journal.
void QueryLine::showOffers() {
  if (!completer_) {
    return;
  }
  if (completer_->look()) {
    search_.start();
  }
  const QByteArray text = edit_->text().toUtf8();
  const auto cursor =
      static_cast<std::size_t>(edit_->text().left(edit_->cursorPosition()).toUtf8().size());
  auto offers = completer_->complete(
      std::string_view(text.data(), static_cast<std::size_t>(text.size())), cursor);
  std::erase_if(offers, [&](const Completion& offer) {  // the text already has it
    return text.mid(static_cast<qsizetype>(offer.from),
                    static_cast<qsizetype>(cursor - offer.from)) ==
           QByteArrayView(offer.text.data(), static_cast<qsizetype>(offer.text.size()));
  });
  if (offers.empty()) {
    popup_->popup()->hide();
  } else if (offers != offered_ || !popup_->popup()->isVisible()) {
    offers_->clear();
    for (const Completion& offer : offers) {
      const QString meaning = QString::fromStdString(offer.meaning);
      const QString word = QString::fromStdString(offer.text);
      offers_->appendRow(
          new QStandardItem(meaning.isEmpty() ? word : word.leftJustified(12) + meaning));
    }
    constexpr int kRoom = 380;
    popup_->complete(QRect(0, edit_->height() - 20, std::max(edit_->width(), kRoom), 20));
  }
  offered_ = std::move(offers);
  showMistake();
}

void QueryLine::take(int row) {
  const Completion& offer = offered_[static_cast<std::size_t>(row)];
  const QByteArray before = edit_->text().toUtf8().left(static_cast<qsizetype>(offer.from)) +
                            QByteArray::fromStdString(offer.text);
  const QString after = edit_->text().mid(edit_->cursorPosition());
  const QString begin = QString::fromUtf8(before);
  const bool isField = !offer.meaning.empty();
  edit_->setText(begin + after);
  edit_->setCursorPosition(static_cast<int>(begin.size()));
  if (isField) {
    QTimer::singleShot(0, this, &QueryLine::offer);  // offer its values when this popup has closed
  }
}

}  // namespace shardlens
