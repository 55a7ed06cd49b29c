#include "ui/text/program_text.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QStringList>
#include <algorithm>

namespace shardlens {
namespace {

constexpr qsizetype kLongestLine = 5000;

// Truncates a text to `most` characters and marks the truncation with an ellipsis.
QString cut(const QString& text, qsizetype most) {
  return text.size() <= most ? text : text.left(most) + u'…';
}

QString plain(const QJsonValue& value) {
  if (value.isString()) {
    constexpr qsizetype kLongest = 500;
    const QString text = cut(value.toString(), kLongest);
    return text.startsWith(u'$') ? text.mid(1) : text;
  }
  if (value.isArray()) {
    QStringList parts;
    for (const QJsonValue& part : value.toArray()) {
      if (parts.size() == 12) {
        parts << QStringLiteral("…");
        break;
      }
      parts << plain(part);
    }
    return u'[' + parts.join(QStringLiteral(", ")) + u']';
  }
  if (value.isBool()) {
    return value.toBool() ? QStringLiteral("True") : QStringLiteral("False");
  }
  if (value.isDouble()) {
    return QString::number(value.toDouble(), 'g', 6);
  }
  return value.isObject() ? QStringLiteral("{…}") : QStringLiteral("None");
}

// The scenario of a step, and how its placements are written.
struct StepContext {
  const QJsonObject& scenario;
  const ProgramNotation& notation;
};

QString placementsOf(const QJsonObject& step, const StepContext& context) {
  if (const auto written = placementsIn(context.scenario, step, context.notation)) {
    return *written;
  }
  const QString text = plain(step[QStringLiteral("placements")]);
  return text.size() >= 2 ? text.mid(1, text.size() - 2) : QString();
}

QString meshText(const QJsonObject& mesh) {
  QString text;
  for (const char* key : {"names", "ranks"}) {
    text += mesh.contains(QLatin1String(key)) ? plain(mesh[QLatin1String(key)]) : QString();
  }
  return text.isEmpty() ? plain(mesh[QStringLiteral("shape")]) : text;
}

// Returns the other arguments of a placed step: {"source=0", "mesh=[pp][0, 1, 3]"}.
QStringList placingWords(const QJsonObject& step) {
  QStringList words;
  const QJsonObject order = step[QStringLiteral("shard_order")].toObject();
  for (auto it = order.begin(); it != order.end(); ++it) {
    words << QStringLiteral("shard_order=%1:%2").arg(it.key(), plain(it.value()));
  }
  if (step.contains(QStringLiteral("mesh"))) {
    words << QStringLiteral("mesh=") + meshText(step[QStringLiteral("mesh")].toObject());
  }
  for (const char* key : {"source", "forward_dtype", "backward_dtype"}) {
    if (step.contains(QLatin1String(key))) {
      words << QLatin1String(key) + QStringLiteral("=") + plain(step[QLatin1String(key)]);
    }
  }
  return words;
}

QString callText(const QJsonObject& step, const StepContext& context) {
  const QString call = step[QStringLiteral("call")].toString();
  QStringList args;
  if (call == QStringLiteral("tensor")) {
    const bool literal = step.contains(QStringLiteral("data"));
    const QString contents =
        plain(step[literal ? QStringLiteral("data") : QStringLiteral("shape")]);
    const QString fill = step[QStringLiteral("fill")].toString();
    args << contents << placementsOf(step, context) << placingWords(step);
    return (literal ? call : fill) + u'(' + args.join(QStringLiteral(", ")) + u')';
  }
  for (const QJsonValue& arg : step[QStringLiteral("args")].toArray()) {
    args << plain(arg);
  }
  const QJsonObject kwargs = step[QStringLiteral("kwargs")].toObject();
  for (auto it = kwargs.begin(); it != kwargs.end(); ++it) {
    args << it.key() + u'=' + plain(it.value());
  }
  if (step.contains(QStringLiteral("placements"))) {
    args << placementsOf(step, context) << placingWords(step);
  }
  QString name = call;
  if (name.startsWith(QStringLiteral("aten."))) {
    name = name.mid(5);
  }
  return name + u'(' + args.join(QStringLiteral(", ")) + u')';
}

// A scanner over JSON text that tracks the nesting depth and the current key of the outermost
// object.
class JsonPlace {
 public:
  void read(QChar c) {
    if (inString_) {
      string_ += c;
      inString_ = escaped_ || c != u'"';
      escaped_ = !escaped_ && c == u'\\';
    } else if (c == u'"') {
      inString_ = true;
      string_.clear();
    } else if (c == u':' && depth_ == 1) {
      key_ = string_;
    } else if (c == u'{' || c == u'[') {
      ++depth_;
    } else if (c == u'}' || c == u']') {
      --depth_;
    }
  }
  bool inStep() const { return depth_ >= 3 && key_ == QStringLiteral("steps\""); }

 private:
  int depth_ = 0;
  bool inString_ = false;
  bool escaped_ = false;
  QString string_;  // the last string read, including its closing quote
  QString key_;
};

// Sets the step range of each line. A step is an object in the array "steps".
void markSteps(const QString& json, std::vector<ProgramLine>& lines) {
  JsonPlace place;
  std::size_t line = 0;
  int step = -1;
  for (const QChar c : json) {
    const bool before = place.inStep();
    place.read(c);
    step += !before && place.inStep() ? 1 : 0;
    if (before || place.inStep()) {
      lines[line].step = lines[line].step < 0 ? step : lines[line].step;
      lines[line].lastStep = step;
    }
    line += c == u'\n' ? 1 : 0;
  }
}

bool hasNote(const QJsonValue& step) {
  return !step.toObject()[QStringLiteral("note")].toString().isEmpty();
}

// Expands tabs to the next multiple of 8 columns, as Python does.
QString withoutTabs(const QString& line) {
  constexpr qsizetype kTab = 8;
  QString text;
  for (const QChar letter : line) {
    const qsizetype wide = letter == u'\t' ? kTab - text.size() % kTab : 1;
    text += letter == u'\t' ? QString(wide, u' ') : QString(letter);
  }
  return text;
}

}  // namespace

// The text keeps its length, so that offsets into it stay valid.
QString withoutComments(QString text) {
  bool inString = false;
  for (qsizetype i = 0; i < text.size(); ++i) {
    if (inString) {
      i += text[i] == u'\\' ? 1 : 0;
      inString = i < text.size() && text[i] != u'"';
    } else if (text[i] == u'"') {
      inString = true;
    } else if (text[i] == u'/' && i + 1 < text.size() &&
               (text[i + 1] == u'/' || text[i + 1] == u'*')) {
      const bool line = text[i + 1] == u'/';
      const QString close = line ? QStringLiteral("\n") : QStringLiteral("*/");
      auto end = text.indexOf(close, i + 2);
      end = end < 0 ? text.size() : line ? end : end + 2;
      for (; i < end; ++i) {
        text[i] = text[i] == u'\n' ? u'\n' : u' ';
      }
      --i;
    }
  }
  return text;
}

QJsonObject parsedScenario(const QString& text) {
  return QJsonDocument::fromJson(withoutComments(text).toUtf8()).object();
}

std::vector<ProgramLine> readableProgram(const QJsonObject& scenario,
                                         const ProgramNotation& notation) {
  const StepContext context{scenario, notation};
  std::vector<ProgramLine> lines;
  int step = 0;
  for (const QJsonValue& value : scenario[QStringLiteral("steps")].toArray()) {
    const QJsonObject object = value.toObject();
    const QString id = object[QStringLiteral("id")].toString();
    const QString call = callText(object, context);
    lines.push_back(
        {step + 1, step, step, id.isEmpty() ? call : id + QStringLiteral(" = ") + call});
    ++step;
  }
  return lines;
}

QString programNotes(const QJsonObject& scenario, int step) {
  constexpr qsizetype kLongest = 20000;
  if (step >= 0) {
    const QJsonObject object = scenario[QStringLiteral("steps")].toArray().at(step).toObject();
    return cut(object[QStringLiteral("note")].toString(), kLongest);
  }
  QStringList notes;
  for (const QJsonValue& note : scenario[QStringLiteral("notes")].toArray()) {
    notes << note.toString();
  }
  return cut(notes.join(QStringLiteral("\n\n")), kLongest);
}

std::optional<int> stepWithNoteAfter(const QJsonObject& scenario, int step) {
  const QJsonArray steps = scenario[QStringLiteral("steps")].toArray();
  for (int i = step + 1; i < steps.size(); ++i) {
    if (hasNote(steps[i])) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<int> stepWithNoteBefore(const QJsonObject& scenario, int step) {
  const QJsonArray steps = scenario[QStringLiteral("steps")].toArray();
  for (int i = std::min(step, static_cast<int>(steps.size())) - 1; i >= 0; --i) {
    if (hasNote(steps[i])) {
      return i;
    }
  }
  return std::nullopt;
}

std::vector<ProgramLine> sourceLines(const QString& text) {
  auto lines = plainLines(text);
  markSteps(withoutComments(text), lines);
  return lines;
}

std::vector<ProgramLine> plainLines(const QString& text) {
  std::vector<ProgramLine> lines;
  for (const QString& line : text.split(u'\n')) {
    lines.push_back(
        {static_cast<int>(lines.size()) + 1, -1, -1, withoutTabs(cut(line, kLongestLine))});
  }
  while (!lines.empty() && lines.back().text.trimmed().isEmpty()) {
    lines.pop_back();
  }
  return lines;
}

}  // namespace shardlens
