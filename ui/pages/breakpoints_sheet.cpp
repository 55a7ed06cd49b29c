#include "ui/pages/breakpoints_sheet.h"

#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/widgets/query_line.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QShortcut>
#include <QTableView>
#include <QVBoxLayout>
#include <vector>

namespace shardlens {
namespace {

// A common breakpoint. A query that ends in ':' or '>' is completed by the user.
struct Preset {
  QString name;
  QString query;
};

std::vector<Preset> allPresets() {
  const auto of = [](const QString& name, const char* query) {
    return Preset{name, QLatin1String(query)};
  };
  return {of(QObject::tr("a line…"), "kind:step,operator line:"),
          of(QObject::tr("an operator…"), "kind:operator op:"),
          of(QObject::tr("any collective"), "kind:collective"),
          of(QObject::tr("an implicit redistribution"), "kind:redistribute implicit"),
          of(QObject::tr("a cache miss"), "cache:miss"),
          of(QObject::tr("a change of a mask buffer"), "kind:mask"),
          of(QObject::tr("a refcount of zero"), "refcount:0"),
          of(QObject::tr("conflicting mask buffers"), "kind:error conflicting"),
          of(QObject::tr("any error"), "kind:error"),
          of(QObject::tr("a NaN value"), "nan"),
          of(QObject::tr("more bytes than…"), "kind:collective bytes>")};
}

bool isToBeCompleted(const QString& query) { return query.endsWith(u':') || query.endsWith(u'>'); }

QPushButton* button(const char* name, const QString& text, const QString& description) {
  auto* made = new QPushButton(text);
  made->setObjectName(QLatin1String(name));
  made->setAccessibleName(description);
  made->setToolTip(description);
  return made;
}

}  // namespace

BreakpointsSheet::BreakpointsSheet(BreakpointsModel& breakpoints, QWidget* window)
    : Sheet(QStringLiteral("breakpointsSheet"), tr("Breakpoints"), window),
      breakpoints_(breakpoints),
      line_(new QueryLine(QStringLiteral("breakpointQuery"), tr("Query of the breakpoint"))),
      add_(button("addBreakpoint", tr("Add"), tr("Add a breakpoint with this query"))),
      remove_(button("removeBreakpoint", tr("Remove"), tr("Remove the selected breakpoint"))),
      list_(new QTableView),
      empty_(new QLabel(tr("No breakpoints. Enter a query above, choose a template, or press F9 on "
                           "a line of the program."))) {
  setAccessibleName(tr("Breakpoints"));
  list_->setObjectName(QStringLiteral("breakpointsView"));
  list_->setAccessibleName(tr("Breakpoints"));
  list_->setModel(&breakpoints_);
  list_->setShowGrid(false);
  list_->setSelectionBehavior(QAbstractItemView::SelectRows);
  list_->setSelectionMode(QAbstractItemView::SingleSelection);
  list_->setTabKeyNavigation(false);
  list_->setWordWrap(false);
  list_->verticalHeader()->hide();
  list_->horizontalHeader()->setHighlightSections(false);
  list_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  list_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  list_->horizontalHeader()->setSectionResizeMode(BreakpointsModel::Hits,
                                                  QHeaderView::ResizeToContents);
  atEachZoom(list_, [list = list_] {
    list->verticalHeader()->setDefaultSectionSize(zoomed(25));
    list->setFont(zoomed(textFont(12)));
  });
  list_->setMinimumHeight(180);
  empty_->setWordWrap(true);
  empty_->setMinimumHeight(180);
  empty_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  empty_->setForegroundRole(kMutedRole);
  add_->setProperty("primary", true);

  auto* top = new QHBoxLayout;
  top->setSpacing(8);
  top->addWidget(line_, 1, Qt::AlignTop);
  top->addWidget(add_, 0, Qt::AlignTop);
  top->addWidget(presets(), 0, Qt::AlignTop);
  auto* foot = new QHBoxLayout;
  foot->addStretch(1);
  foot->addWidget(remove_);
  content().setContentsMargins(18, 16, 18, 14);
  content().setSpacing(10);
  content().addLayout(top);
  content().addWidget(list_, 1);
  content().addWidget(empty_, 1);
  content().addLayout(foot);
  setUsualSize({560, 0});

  connect(add_, &QPushButton::clicked, this, &BreakpointsSheet::add);
  connect(remove_, &QPushButton::clicked, this, &BreakpointsSheet::remove);
  connect(&line_->edit(), &QLineEdit::returnPressed, this, &BreakpointsSheet::add);
  connect(line_, &QueryLine::queryChanged, this, &BreakpointsSheet::showState);
  connect(&breakpoints_, &BreakpointsModel::changed, this, &BreakpointsSheet::showState);
  connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &BreakpointsSheet::showState);
  new QShortcut(Qt::Key_Delete, list_, this, &BreakpointsSheet::remove, Qt::WidgetShortcut);
  setFocusProxy(line_);
  line_->setFocus();
  showState();
}

QPushButton* BreakpointsSheet::presets() {
  auto* usual = button("usualBreakpoints", tr("Templates"), tr("Common breakpoints"));
  auto* menu = new QMenu(usual);
  for (const Preset& preset : allPresets()) {
    connect(menu->addAction(preset.name), &QAction::triggered, this, [this, preset] {
      if (!isToBeCompleted(preset.query)) {
        breakpoints_.add(preset.name, preset.query);
        return;
      }
      line_->setText(preset.query);
      line_->setFocus();
      line_->offer();
    });
  }
  usual->setMenu(menu);
  return usual;
}

void BreakpointsSheet::setJournal(const Journal& journal) { line_->setJournal(journal); }

void BreakpointsSheet::add() {
  if (breakpoints_.add({}, line_->text())) {
    line_->setText({});
    list_->setCurrentIndex(breakpoints_.index(breakpoints_.rowCount() - 1, 0));
  }
}

void BreakpointsSheet::remove() {
  if (list_->currentIndex().isValid()) {
    breakpoints_.remove(list_->currentIndex().row());
  }
}

void BreakpointsSheet::showState() {
  list_->setVisible(!breakpoints_.isEmpty());
  empty_->setVisible(breakpoints_.isEmpty());
  add_->setEnabled(line_->query() && !line_->query()->empty());
  remove_->setEnabled(!breakpoints_.isEmpty() && list_->currentIndex().isValid());
}

// Keeps Space from the shortcuts of the window: here it switches a breakpoint or presses a button.
bool BreakpointsSheet::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space) {
    event->accept();
    return true;
  }
  return Sheet::event(event);
}

}  // namespace shardlens
