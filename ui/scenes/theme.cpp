#include "ui/scenes/theme.h"

#include "ui/scenes/zoom.h"

namespace shardlens {
namespace {

const Theme kLight{
    .scheme = ColourScheme::Light,
    .window = QColor(0xf3f4f6),
    .card = QColor(0xffffff),
    .inset = QColor(0xf8f9fb),
    .border = QColor(0xdfe3e8),
    .text = QColor(0x17202e),
    .muted = QColor(0x566074),
    .faint = QColor(0x676f80),
    .accent = QColor(0x2463d6),
    .accentSoft = QColor(0xe6effc),
    .good = QColor(0x187a48),
    .goodSoft = QColor(0xe5f5ec),
    .warn = QColor(0x9f5f00),
    .warnSoft = QColor(0xfef7e4),
    .bad = QColor(0xc03228),
    .badSoft = QColor(0xfdecea),
    .rank = QColor(0x1d2738),
    .onCells = QColor(0x17202e),
    .set = QColor(0x1d2738),
};

const Theme kDark{
    .scheme = ColourScheme::Dark,
    .window = QColor(0x11151b),
    .card = QColor(0x1a2029),
    .inset = QColor(0x212833),
    .border = QColor(0x2e3744),
    .text = QColor(0xe7ebf1),
    .muted = QColor(0xa9b3c2),
    .faint = QColor(0x8792a3),
    .accent = QColor(0x6ea3ff),
    .accentSoft = QColor(0x22355a),
    .good = QColor(0x5cc98d),
    .goodSoft = QColor(0x193527),
    .warn = QColor(0xe5ae4d),
    .warnSoft = QColor(0x382d16),
    .bad = QColor(0xf2796e),
    .badSoft = QColor(0x43221f),
    .rank = QColor(0xd5dce6),
    .onCells = QColor(0x11161e),
    .set = QColor(0xd5dce6),
};

const Theme* current = &kLight;

QFont font(const char* family, QFont::StyleHint hint, int pixels, Weight weight) {
  QFont result{QString::fromLatin1(family)};
  result.setStyleHint(hint);
  result.setPixelSize(pixels);
  result.setBold(weight == Weight::Bold);
  if (Zoom::now().factor() != 1) {  // a scaled painter spaces hinted letters unevenly
    result.setHintingPreference(QFont::PreferNoHinting);
  }
  return result;
}

}  // namespace

const Theme& theme() { return *current; }

void setColourScheme(ColourScheme scheme) {
  current = scheme == ColourScheme::Dark ? &kDark : &kLight;
}

QFont textFont(int pixels, Weight weight) {
  return font("DejaVu Sans", QFont::SansSerif, pixels, weight);
}

QFont codeFont(int pixels, Weight weight) {
  return font("DejaVu Sans Mono", QFont::Monospace, pixels, weight);
}

}  // namespace shardlens
