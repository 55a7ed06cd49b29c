#pragma once

#include "core/trace/snapshot/state_index.h"
#include "tests/ui/support/lookup_run.h"
#include "ui/panels/inspector_panel.h"
#include "ui/widgets/slice_canvas.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QPushButton>
#include <QTest>
#include <QVBoxLayout>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// An Inspector panel without a window, at a position of a journal.
struct Inspecting {
  explicit Inspecting(QSize size = {700, 320}) {
    auto* column = new QVBoxLayout(&frame);
    column->addWidget(panel->header());
    column->addWidget(panel);
    frame.resize(size);
  }
  // Shows the panel at the position and waits until it has read everything.
  void at(EventId position) {
    states = std::make_unique<StateIndex>(journal);
    panel->setSnapshot(journal, states->at(position));
    frame.show();
    frame.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&frame));
    wait();
  }
  void wait() {
    QCoreApplication::processEvents();
    ASSERT_TRUE(QTest::qWaitFor([this] { return !panel->isReading(); }, 60000));
  }
  template <class T>
  T* find(const char* name) {
    return frame.findChild<T*>(QLatin1String(name));
  }
  // Selects an item of a combo box by its text and waits. Fails the test if there is none.
  void choose(const char* box, const QString& text) {
    auto* choice = find<QComboBox>(box);
    const int row = choice->findText(text);
    ASSERT_GE(row, 0) << qPrintable(text);
    choice->setCurrentIndex(row);
    wait();
  }
  const SliceCanvas& canvas() { return panel->canvas(); }
  void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    auto* on = find<SliceCanvas>("sliceCanvas");
    on->setFocus();
    QTest::keyClick(on, static_cast<Qt::Key>(key), modifiers);
  }
  // Returns the text of a button; empty if it is hidden.
  QString button(const char* name) {
    const auto* found = find<QPushButton>(name);
    return found->isVisible() ? found->text() : QString();
  }
  // Returns the cells with their headings, as lines of text. Masked elements have a star.
  std::vector<std::string> rows() {
    const SliceCanvas& shown = canvas();
    std::vector<std::string> lines;
    QString head;
    for (std::int64_t column = 0; column < shown.grid().columns; ++column) {
      head += u' ' + shown.headingOfColumn(column);
    }
    lines.push_back(head.toStdString());
    for (std::int64_t row = 0; row < shown.grid().rows; ++row) {
      QString line = shown.headingOfRow(row) + u':';
      for (std::int64_t column = 0; column < shown.grid().columns; ++column) {
        const Shape at = shown.slice().at(row, column);
        line += u' ' + shown.elements().text(at);
        line += shown.elements().masked(at) ? QStringLiteral("*") : QString();
      }
      lines.push_back(line.toStdString());
    }
    return lines;
  }

  Journal journal;
  QWidget frame;
  InspectorPanel* panel = new InspectorPanel;
  std::unique_ptr<StateIndex> states;
};

struct OnLookup : Inspecting {
  OnLookup() { recordLookup(journal); }
  void go(EventKind kind, int nth) { at(LookupRun::find(journal, kind, nth)); }
};

struct OnTensor : Inspecting {
  OnTensor(const char* mesh, Shape shape, Placements placements, const Recorded& recorded = {}) {
    recordTensor(journal, mesh, std::move(shape), std::move(placements), recorded);
  }
  void show() { at(journal.size()); }
  // Replaces the value of the tensor on one rank, for the same event.
  void overwrite(int rank, const std::vector<float>& values) {
    ValueRecord other = *journal.value(1, rank, journal.size());
    auto bytes = std::make_shared<std::vector<std::byte>>(values.size() * sizeof(float));
    std::memcpy(bytes->data(), values.data(), bytes->size());
    other.data = std::move(bytes);
    other.level = CaptureLevel::All;
    journal.onValue(other);
  }
};

}  // namespace shardlens
