#include "tests/ui/support/lookup_run.h"
#include "ui/text/program.h"

#include <gmock/gmock.h>

namespace shardlens {
namespace {

std::string readable(const char* steps) {
  std::string text;
  for (const ProgramLine& line : readableProgram(
           parsedScenario(QStringLiteral("{\"steps\": [%1]}").arg(QLatin1String(steps))))) {
    text += line.text.toStdString() + '\n';
  }
  return text;
}

TEST(ProgramText, WritesCallsWithArguments) {
  EXPECT_EQ(readable(R"({"id": "y", "call": "aten.add.Tensor", "args": ["$a", 2.5],
                         "kwargs": {"alpha": 3}})"),
            "y = add.Tensor(a, 2.5, alpha=3)\n");
}

TEST(ProgramText, WritesAStepWithoutAName) {
  EXPECT_EQ(readable(R"({"call": "backward", "args": ["$l"]})"), "backward(l)\n");
}

TEST(ProgramText, WritesPlacements) {
  EXPECT_EQ(readable(R"_({"id": "x", "call": "tensor", "placements": ["S(0)"], "data": [1, 2],
                         "mesh": {"shape": [2], "names": ["pp"], "ranks": [0, 3]}, "source": 3},
                        {"id": "y", "call": "redistribute", "args": ["$x"],
                         "placements": ["S(0)", "S(0)"], "shard_order": {"0": [1, 0]},
                         "forward_dtype": "float16"})_"),
            "x = tensor([1, 2], S(0), mesh=[pp][0, 3], source=3)\n"
            "y = redistribute(x, S(0), S(0), shard_order=0:[1, 0], forward_dtype=float16)\n");
}

std::string readableIn(const ProgramNotation& notation, const char* steps) {
  std::string text;
  const auto scenario = parsedScenario(
      QString::fromUtf8(R"({"mesh": {"shape": [2, 3], "names": ["dp", "tp"]}, "steps": [)" +
                        QByteArray(steps) + "]}"));
  for (const ProgramLine& line : readableProgram(scenario, notation)) {
    text += line.text.toStdString() + '\n';
  }
  return text;
}

TEST(ProgramText, WritesPlacementsInOtherNotations) {
  const char* steps = R"_({"id": "y", "call": "redistribute", "args": ["$x"],
                           "placements": ["S(0)", "R"]},
                          {"id": "z", "call": "redistribute", "args": ["$x"],
                           "placements": ["P(sum)"], "mesh": {"shape": [2]}})_";
  EXPECT_EQ(readableIn({view::Notation::NamedAxes}, steps),
            "y = redistribute(x, dp:S(0) tp:R)\n"
            "z = redistribute(x, d0:P(sum), mesh=[2])\n");
  EXPECT_EQ(readableIn({view::Notation::PartitionSpec, {{QStringLiteral("y"), 2}}}, steps),
            "y = redistribute(x, P('dp', None))\n"
            "z = redistribute(x, P(unreduced={'d0'}), mesh=[2])\n");
}

// A shard order gives strided shards, which the placements alone do not state.
TEST(ProgramText, KeepsPlacementsThatOtherNotationsDoNotExpress) {
  EXPECT_EQ(readableIn({view::Notation::NamedAxes},
                       R"_({"call": "redistribute", "args": ["$x"], "placements": ["S(0)", "S(0)"],
                            "shard_order": {"0": [1, 0]}},
                           {"call": "redistribute", "args": ["$x"], "placements": ["S(0)", "Q"]},
                           {"call": "redistribute", "args": ["$x"], "placements": ["R"]})_"),
            "redistribute(x, S(0), S(0), shard_order=0:[1, 0])\n"
            "redistribute(x, S(0), Q)\n"
            "redistribute(x, R)\n");
}

TEST(ProgramText, CutsLongData) {
  EXPECT_EQ(readable(R"({"id": "x", "call": "tensor", "placements": ["R"],
                         "data": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]})"),
            "x = tensor([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, …], R)\n");
}

TEST(ProgramText, KeepsSlashesInStrings) {
  const QString text = QStringLiteral("{\"a\": \"http://x\" /* gone */, // gone too\n \"b\": 1}");
  const QString plain = withoutComments(text);
  EXPECT_EQ(plain.size(), text.size());
  EXPECT_TRUE(plain.contains(QStringLiteral("http://x")));
  EXPECT_FALSE(plain.contains(QStringLiteral("gone")));
  EXPECT_TRUE(plain.contains(QStringLiteral("\"b\": 1")));
}

TEST(ProgramText, KeepsTheLinesOfAComment) {
  EXPECT_EQ(withoutComments(QStringLiteral("{ /* one\ntwo */ }")).count(u'\n'), 1);
}

TEST(ProgramText, ReturnsTheLinesOfAStep) {
  const QString text = QStringLiteral(
      "{\"notes\": [\"[{\"], /* {\n */ \"steps\": [\n"
      "  {\"args\": [[1]],\n"
      "   \"kwargs\": {\"a\": 1}},\n"
      "  {\"id\": \"\\\"]}\"}, {}\n"
      "], \"mesh\": {\"shape\": [2]}}");
  std::vector<std::pair<int, int>> steps;
  for (const ProgramLine& line : sourceLines(text)) {
    steps.emplace_back(line.step, line.lastStep);
  }
  using Steps = std::pair<int, int>;
  EXPECT_EQ(steps, (std::vector<Steps>{{-1, -1}, {-1, -1}, {0, 0}, {0, 0}, {1, 2}, {-1, -1}}));
}

TEST(ProgramText, IsEmptyForOtherText) {
  EXPECT_TRUE(readableProgram(parsedScenario(QStringLiteral("import torch"))).empty());
  EXPECT_EQ(sourceLines(QStringLiteral("import torch\n\n")).size(), 1U);
}

TEST(ProgramText, FindsTheNotes) {
  const QJsonObject text = parsedScenario(
      QStringLiteral("{\"notes\": [\"one\", \"two\"], \"steps\": [{\"note\": \"first\"}, {}]}"));
  EXPECT_EQ(programNotes(text, -1), QStringLiteral("one\n\ntwo"));
  EXPECT_EQ(programNotes(text, 0), QStringLiteral("first"));
  EXPECT_EQ(programNotes(text, 1), QString());
}

TEST(ProgramText, ExpandsTabsToMultiplesOfEight) {
  const auto lines = plainLines(QStringLiteral("\ta\n1234567\tb\n12345678\tc\n"));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].text, QStringLiteral("        a"));
  EXPECT_EQ(lines[1].text, QStringLiteral("1234567 b"));
  EXPECT_EQ(lines[2].text, QStringLiteral("12345678        c"));
}

TEST(ProgramText, FindsStepsWithNotes) {
  const QJsonObject text = parsedScenario(QStringLiteral(
      "{\"steps\": [{}, {\"note\": \"b\"}, {\"note\": \"\"}, {\"note\": \"d\"}, {}]}"));
  EXPECT_EQ(stepWithNoteAfter(text, -1), 1);
  EXPECT_EQ(stepWithNoteAfter(text, 0), 1);
  EXPECT_EQ(stepWithNoteAfter(text, 1), 3);
  EXPECT_EQ(stepWithNoteAfter(text, 3), std::nullopt);
  EXPECT_EQ(stepWithNoteBefore(text, 99), 3);
  EXPECT_EQ(stepWithNoteBefore(text, 3), 1);
  EXPECT_EQ(stepWithNoteBefore(text, 1), std::nullopt);
  EXPECT_EQ(stepWithNoteBefore(text, -1), std::nullopt);
  EXPECT_EQ(stepWithNoteAfter(QJsonObject(), -1), std::nullopt);
}

TEST(Program, IsWrittenInTheNotation) {
  const char* scenario = R"_({"mesh": {"shape": [2], "names": ["tp"]}, "steps": [
      {"id": "t", "call": "redistribute", "args": ["$x"], "placements": ["S(0)"]}]})_";
  const auto line = [](const Journal& journal, view::Notation notation) {
    return programOf(journal, notation)->lines.at(0).text.toStdString();
  };
  Journal begun;
  begun.onMeta("scenario", scenario);
  EXPECT_EQ(line(begun, view::Notation::DTensor), "t = redistribute(x, S(0))");
  EXPECT_EQ(line(begun, view::Notation::NamedAxes), "t = redistribute(x, tp:S(0))");
  EXPECT_EQ(line(begun, view::Notation::PartitionSpec), "t = redistribute(x, P('tp'))");
  Journal ended;  // the recorded tensor has two dimensions
  recordTensor(ended, "2:tp", {4, 4}, {Shard{0}});
  ended.onMeta("scenario", scenario);
  EXPECT_EQ(line(ended, view::Notation::PartitionSpec), "t = redistribute(x, P('tp', None))");
  EXPECT_EQ(programOf(ended, view::Notation::PartitionSpec),
            programOf(ended, view::Notation::PartitionSpec));
}

TEST(Program, IsParsedOncePerText) {
  Journal one;
  EXPECT_TRUE(programOf(one)->lines.empty());
  one.onMeta("scenario", R"({"steps": [{"id": "y", "call": "aten.exp", "args": ["$x"]}]})");
  Journal other;
  other.onMeta("scenario", one.meta("scenario"));
  const auto program = programOf(one);
  ASSERT_EQ(program->lines.size(), 1U);
  EXPECT_EQ(program->lines[0].text, QStringLiteral("y = exp(x)"));
  EXPECT_EQ(programOf(other), program);
  other.onMeta("scenario", R"({"steps": []})");
  EXPECT_TRUE(programOf(other)->lines.empty());
}

}  // namespace
}  // namespace shardlens
