#include "ui/shell/actions.h"

#include <QWidget>

namespace shardlens {
namespace {

QAction* make(QWidget* window, const char* name, const QString& text, const QString& shortText,
              const QString& what, const QList<QKeySequence>& keys) {
  auto* action = new QAction(text, window);
  action->setObjectName(QLatin1String(name));
  action->setIconText(shortText);
  action->setToolTip(what);
  action->setShortcuts(keys);
  window->addAction(action);
  return action;
}

}  // namespace

Actions::Actions(QWidget* window)
    : open(make(window, "open", QObject::tr("&Open…"), QObject::tr("open"),
                QObject::tr("Open a scenario or a recording"), {QKeySequence::Open})),
      openFolder(make(window, "openFolder", QObject::tr("Open &folder…"),
                      QObject::tr("open folder"),
                      QObject::tr("Open the recordings of a run's processes as one"),
                      {Qt::CTRL | Qt::SHIFT | Qt::Key_O})),
      follow(make(window, "follow", QObject::tr("&Follow a run…"), QObject::tr("follow"),
                  QObject::tr("Follow a run that goes on elsewhere"),
                  {Qt::CTRL | Qt::SHIFT | Qt::Key_F})),
      save(make(window, "save", QObject::tr("&Save recording as…"), QObject::tr("save"),
                QObject::tr("Keep what is recorded so far in a file"), {QKeySequence::Save})),
      runAgain(make(window, "runAgain", QObject::tr("&Run again"), QObject::tr("run again"),
                    QObject::tr("Read the scenario again and run it from its start"),
                    {Qt::Key_F5})),
      close(make(window, "close", QObject::tr("&Close"), QObject::tr("close"),
                 QObject::tr("Close what is open"), {Qt::CTRL | Qt::Key_W})),
      quit(make(window, "quit", QObject::tr("&Quit"), QObject::tr("quit"),
                QObject::tr("Quit Shardlens"), {Qt::CTRL | Qt::Key_Q})),
      start(make(window, "start", QObject::tr("To &start"), QObject::tr("start"),
                 QObject::tr("Go to the start"), {Qt::Key_Home})),
      back(make(window, "back", QObject::tr("Step &back"), QObject::tr("back"),
                QObject::tr("Go one event back"), {Qt::Key_Left})),
      step(make(window, "step", QObject::tr("&Step"), QObject::tr("step"),
                QObject::tr("Go one event on"), {Qt::Key_Right, Qt::Key_F11})),
      over(make(window, "over", QObject::tr("Step &over"), QObject::tr("over"),
                QObject::tr("Go on to the next event beside this one"),
                {Qt::Key_F10, Qt::Key_Down | Qt::CTRL})),
      out(make(window, "out", QObject::tr("Step o&ut"), QObject::tr("out"),
               QObject::tr("Go on to the next event beside the one that this is part of"),
               {Qt::SHIFT | Qt::Key_F11})),
      backOver(make(window, "backOver", QObject::tr("Step back o&ver"), QObject::tr("back over"),
                    QObject::tr("Go back to the event before this one beside it"),
                    {Qt::SHIFT | Qt::Key_F10, Qt::Key_Up | Qt::CTRL})),
      end(make(window, "end", QObject::tr("To &end"), QObject::tr("end"),
               QObject::tr("Go to the end"), {Qt::Key_End})),
      stopEngine(make(window, "stopEngine", QObject::tr("S&top the engine"), QObject::tr("stop"),
                      QObject::tr("Stop the engine"), {Qt::CTRL | Qt::Key_Period})),
      dark(make(window, "dark", QObject::tr("&Dark"), QObject::tr("dark"),
                QObject::tr("Dark or light"), {Qt::CTRL | Qt::Key_D})),
      resetLayout(make(window, "resetLayout", QObject::tr("&Reset layout"), QObject::tr("reset"),
                       QObject::tr("Put all panels back in their places"), {})),
      legend(make(window, "legend", QObject::tr("&Legend"), QObject::tr("legend"),
                  QObject::tr("How things are drawn"), {Qt::Key_F1})),
      shortcuts(make(window, "shortcuts", QObject::tr("&Shortcuts"), QObject::tr("? keys"),
                     QObject::tr("All keyboard shortcuts"),
                     {Qt::Key_Question, Qt::SHIFT | Qt::Key_Question})) {
  dark->setCheckable(true);
  setOpen(false);
}

QList<QAction*> Actions::all() const {
  return {start,  back, step,     over,  out,        backOver, end,    open,      openFolder,
          follow, save, runAgain, close, stopEngine, dark,     legend, shortcuts, quit};
}

void Actions::setOpen(bool isOpen) {
  for (QAction* action : {close, start, back, step, over, out, backOver, end}) {
    action->setEnabled(isOpen);
  }
  if (!isOpen) {
    for (QAction* action : {stopEngine, save, runAgain}) {
      action->setEnabled(false);
    }
  }
}

}  // namespace shardlens
