#include "ui/text/format.h"

#include "ui/models/shared_length.h"
#include "ui/text/compact.h"
#include "ui/widgets/paint.h"

#include <gmock/gmock.h>

#include <cmath>

namespace shardlens {
namespace {

TEST(Format, NotesNameTheEmulatedVersion) {
  Journal journal;
  EXPECT_EQ(withEmulation(QStringLiteral("1 live"), journal), QStringLiteral("1 live"));
  EXPECT_EQ(withEmulation({}, journal), QString());
  journal.onMeta("emulate", "before-131264");
  EXPECT_EQ(withEmulation(QStringLiteral("1 live"), journal),
            QStringLiteral("before-131264 · 1 live"));
  EXPECT_EQ(withEmulation({}, journal), QStringLiteral("before-131264"));
}

TEST(Format, Bytes) {
  EXPECT_EQ(bytesText(0), QStringLiteral("0 B"));
  EXPECT_EQ(bytesText(1023), QStringLiteral("1023 B"));
  EXPECT_EQ(bytesText(std::int64_t{16} << 20), QStringLiteral("16.0 MiB"));
}

// Elides the part that two texts share, so that their difference stays visible.
TEST(Format, ElidesTheCommonPart) {
  const QFontMetricsF metrics(codeFont(11));
  const double letter = metrics.horizontalAdvance(u'0');
  const QString text = QStringLiteral("embedding f32[10, 3](S(0)), materialized");
  const QString own = QStringLiteral(", materialized");
  EXPECT_EQ(cutText(text, {26, 0}, metrics, letter * 40.5), text);
  EXPECT_EQ(cutText(text, {26, 0}, metrics, letter * 20.5), QStringLiteral("embed…") + own);
  EXPECT_EQ(cutText(text, {26, 0}, metrics, letter * 10.5), QStringLiteral("…, materi…"));
  EXPECT_EQ(cutText(QStringLiteral("embedding, materialized"), {}, metrics, letter * 11.5),
            QStringLiteral("embedding,…"));
  // Placements are written in short before anything is elided, and never in their middle.
  const QString placed = QStringLiteral("mm (S(0), R), (R, S(1))");
  EXPECT_EQ(cutText(placed, {}, metrics, letter * 23.5), placed);
  EXPECT_EQ(cutText(placed, {}, metrics, letter * 14.5), QStringLiteral("mm S0·R, R·S1"));
  EXPECT_EQ(cutText(placed, {}, metrics, letter * 8.5), QStringLiteral("mm S0·R…"));
  // The words that differ stay whole, between the two parts that are shared.
  const QString key =
      QStringLiteral("aten.embedding, f32[8, 4](R, S(0)), i64[12](R, R), -1, false");
  const SharedParts alike{41, 19};
  EXPECT_EQ(cutText(key, alike, metrics, letter * 30.5),
            QStringLiteral("aten.embe…i64[12](R, R), -1, …"));
  EXPECT_EQ(cutText(key, alike, metrics, letter * 18.5), QStringLiteral("ate…i64[12](R, R)…"));
  EXPECT_EQ(cutText(key, alike, metrics, letter * 12.5), QStringLiteral("…2](R, R), …"));
  EXPECT_EQ(sharedLength(text, QStringLiteral("embedding f32[10, 5]")), 18);
  EXPECT_EQ(sharedEnd(text, QStringLiteral("embedding f32[8](S(0)), materialized"), 14), 21);
  EXPECT_EQ(sharedEnd(QStringLiteral("i64[3]"), QStringLiteral("i64[33]"), 5), 1);
  EXPECT_EQ(sharedLength(text, QString()), 0);
}

TEST(Format, SplitsATextIntoLines) {
  const QFontMetricsF metrics(codeFont(11));
  const double letter = metrics.horizontalAdvance(u'0');
  const auto lines = [&](const char* text, double letters, int most) {
    return textLines(QString::fromUtf8(text), metrics, letter * (letters + 0.5), most);
  };
  EXPECT_EQ(lines("one two", 7, 2), QStringList{QStringLiteral("one two")});
  EXPECT_EQ(lines("one two three", 7, 2),
            (QStringList{QStringLiteral("one two"), QStringLiteral("three")}));
  EXPECT_EQ(lines("one two three four", 7, 2),
            (QStringList{QStringLiteral("one two"), QStringLiteral("three …")}));
  EXPECT_EQ(lines("mm: t (S(0), R) -> (R, R), 2 B", 14, 2),
            (QStringList{QStringLiteral("mm: t"), QStringLiteral("S0·R→R·R, 2 B")}));
  EXPECT_EQ(lines("", 7, 2), QStringList{QString()});
}

TEST(Format, Numbers) {
  EXPECT_EQ(numberText(-0.934, DType::Float32), QStringLiteral("-0.93"));
  EXPECT_EQ(numberText(4, DType::Int64), QStringLiteral("4"));
  EXPECT_EQ(numberText(std::nan(""), DType::Float32), QStringLiteral("nan"));
  EXPECT_EQ(numberText(-INFINITY, DType::Float32), QStringLiteral("-inf"));
  EXPECT_EQ(numberText(12345678, DType::Float32), QStringLiteral("1e+07"));
}

TEST(Format, NumbersThatFit) {
  EXPECT_EQ(fittedNumber(-0.93, DType::Float32, 5), QStringLiteral("-0.93"));
  EXPECT_EQ(fittedNumber(-0.93, DType::Float32, 4), QStringLiteral("-.93"));
  EXPECT_EQ(fittedNumber(-0.93, DType::Float32, 3), QStringLiteral("-.9"));
  EXPECT_EQ(fittedNumber(123, DType::Int64, 2), QString());
  EXPECT_EQ(fittedNumber(5, DType::Complex64, 3), QStringLiteral("|5|"));
  EXPECT_EQ(fittedNumber(5, DType::Complex64, 2), QString());
  EXPECT_EQ(fittedNumber(0.1F, DType::Complex64, 20), QStringLiteral("|0.1|"));
  EXPECT_EQ(fittedNumber(8386560, DType::Float32, 7), QStringLiteral("8386560"));
  EXPECT_EQ(fittedNumber(8386560, DType::Float32, 6), QStringLiteral("8.39e6"));
  EXPECT_EQ(fittedNumber(8386560, DType::Int64, 5), QStringLiteral("8.4e6"));
  EXPECT_EQ(fittedNumber(0.001, DType::Float32, 5), QStringLiteral("0.001"));
  EXPECT_EQ(fittedNumber(0.1F, DType::Float32, 20), QStringLiteral("0.1"));
  EXPECT_EQ(fittedNumber(1.0F / 3, DType::Float32, 20), QStringLiteral("0.33333334"));
  EXPECT_EQ(fittedNumber(1.0 / 3, DType::Float64, 20), QStringLiteral("0.3333333333333333"));
  EXPECT_EQ(fittedNumber(1.0F / 3, DType::Float32, 6), QStringLiteral("0.3333"));
  EXPECT_EQ(fittedNumber(-2.02F, DType::Float32, 4), QStringLiteral("-2.0"));
  EXPECT_EQ(fittedNumber(-2.02F, DType::Float32, 3), QStringLiteral("-2"));
  EXPECT_EQ(fittedNumber(2e-5F, DType::Float32, 4), QStringLiteral("2e-5"));
  EXPECT_EQ(fittedNumber(-INFINITY, DType::Float32, 4), QStringLiteral("-inf"));
  EXPECT_EQ(fittedNumber(-INFINITY, DType::Float32, 3), QString());
}

TEST(Format, FewestCharactersOfNumbers) {
  for (const double value : {0.0, 7.0, -7.0, 9.7, 12.0, 99.7, -150.0, 3e7, -2e12, 0.97, 0.4, -0.04,
                             0.004, -2e-4, -3e-7, 2e-12, -0.5}) {
    const int fewest = fewestCharacters(value, DType::Float32);
    EXPECT_FALSE(fittedNumber(value, DType::Float32, fewest).isEmpty()) << value;
    EXPECT_TRUE(fittedNumber(value, DType::Float32, fewest - 1).isEmpty()) << value;
  }
  EXPECT_EQ(fewestCharacters(-12, DType::Int64), 3);
  EXPECT_EQ(fewestCharacters(12345, DType::Int64), 3);
  EXPECT_EQ(fewestCharacters(-INFINITY, DType::Float32), 4);
  EXPECT_EQ(fewestCharacters(std::nan(""), DType::Float32), 3);
}

TEST(Format, Runs) {
  EXPECT_EQ(runsText({{3, 3}}, QStringLiteral("row")), QStringLiteral("rows 3–5"));
  EXPECT_EQ(runsText({{9, 1}}, QStringLiteral("row")), QStringLiteral("row 9"));
  EXPECT_EQ(runsText({{0, 2}, {4, 2}}, QStringLiteral("row")), QStringLiteral("rows 0–1, 4–5"));
}

TEST(Format, CompactPlacements) {
  const auto compact = [](const char* text) {
    return compactPlacements(QString::fromUtf8(text)).toStdString();
  };
  EXPECT_EQ(compact("(S(0), R) -> R"), "S0·R→R");
  EXPECT_EQ(compact("(R), (S(1))"), "R, S1");
  EXPECT_EQ(compact("MaskP(sum, [10, 3], 0) -> R"), "MaskP→R");
  EXPECT_EQ(compact("(SS(0, 2), P(sum), P(max), NormP(2))"), "SS0/2·P·Pmax·NormP2");
  EXPECT_EQ(compact("sum(z) -> y"), "sum(z) -> y");
  EXPECT_EQ(compact("P('dp', None) -> P()"), "P(dp,-)→P()");
  EXPECT_EQ(compact("P(None, ('tp', 'dp'), unreduced={'pp': max}), P('dp')"),
            "P(-,(tp,dp),Σ{pp: max}), P(dp)");
  EXPECT_EQ(compact("P(unreduced={'tp': MaskP(sum, [10, 3], 0)})"), "P(Σ{tp: MaskP})");
}

}  // namespace
}  // namespace shardlens
