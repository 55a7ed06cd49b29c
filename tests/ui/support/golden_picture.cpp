#include "tests/ui/support/golden_picture.h"

#include "core/trace/file/trace_writer.h"
#include "ui/scenes/theme.h"

#include <gtest/gtest.h>

#include <QColor>
#include <QFile>
#include <QFontInfo>

namespace shardlens {
namespace {

// Sets fixed times. An event lasts longer than all events inside of it together.
void setTimes(std::vector<Event>& events) {
  std::vector<std::int64_t> inside(events.size() + 1, 0);
  for (std::size_t id = events.size(); id > 0; --id) {
    Event& event = events[id - 1];
    event.time = static_cast<std::int64_t>(20'000 * id);
    event.duration = event.duration == 0
                         ? 0
                         : inside[id] + static_cast<std::int64_t>(3'100 + 700 * (id * 7 % 13));
    inside[event.parent] += event.duration;
  }
}

}  // namespace

void writeWithTimes(const Journal& journal, const QString& path) {
  const auto writer = TraceWriter::create(path.toStdString()).value();
  for (const auto& [key, value] : journal.meta()) {
    writer->onMeta(key, value);
  }
  for (StringId id = 1; id <= journal.strings(); ++id) {
    writer->onString(id, journal.text(id));
  }
  for (SpecId id = 1; id <= journal.specs(); ++id) {
    writer->onSpec(id, journal.spec(id));
  }
  for (RouteId id = 1; id <= journal.routes(); ++id) {
    writer->onRoute(id, journal.route(id));
  }
  for (TensorId id = 1; id <= journal.tensors(); ++id) {
    writer->onTensor(id, journal.nameOf(id), journal.specOf(id));
  }
  std::vector<Event> events;
  for (EventId id = 1; id <= journal.size(); ++id) {
    events.push_back(journal.at(id));
  }
  setTimes(events);
  for (EventId id = 1; id <= journal.size(); ++id) {
    writer->onEvent(id, events[id - 1], journal.inputs(id));
  }
  for (std::size_t number = 0; number < journal.values().size(); ++number) {
    ValueRecord value = journal.values().at(number).value();
    value.data = journal.elements(value);
    writer->onValue(value);
  }
  ASSERT_TRUE(writer->close());
}

int differences(const QImage& left, const QImage& right, int visible) {
  if (left.size() != right.size()) {
    return left.width() * left.height();
  }
  int count = 0;
  for (int y = 0; y < left.height(); ++y) {
    for (int x = 0; x < left.width(); ++x) {
      const QColor a = left.pixelColor(x, y);
      const QColor b = right.pixelColor(x, y);
      count += std::abs(a.red() - b.red()) > visible || std::abs(a.green() - b.green()) > visible ||
               std::abs(a.blue() - b.blue()) > visible;
    }
  }
  return count;
}

bool matchesGolden() {
  return QLatin1String(qVersion()) == QStringLiteral("6.4.2") &&
         QFontInfo(textFont(12)).family() == QStringLiteral("DejaVu Sans");
}

void expectGolden(const QImage& made, const QString& kept, const QString& name) {
  if (qEnvironmentVariableIsSet("UPDATE_GOLDEN")) {
    ASSERT_TRUE(made.save(kept));
  }
  constexpr int kMost = 20;
  const int different = differences(made, QImage(kept));
  const QString actual = QStringLiteral(SHARDLENS_BINARY_DIR "/actual-") + name;
  QFile::remove(actual);
  if (different > kMost) {
    made.save(actual);
  }
  EXPECT_LE(different, kMost) << qPrintable(name) << " is out of date, see " << qPrintable(actual)
                              << "; UPDATE_GOLDEN=1 rewrites it";
}

}  // namespace shardlens
