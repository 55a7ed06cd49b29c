#include "ui/text/program_notation.h"

#include "core/model/mesh.h"

#include <QJsonArray>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {
namespace {

std::optional<DeviceMesh> meshFrom(const QJsonObject& written) {
  std::vector<int> shape;
  std::vector<std::string> names;
  for (const QJsonValue& size : written[QStringLiteral("shape")].toArray()) {
    shape.push_back(size.toInt());
  }
  for (const QJsonValue& name : written[QStringLiteral("names")].toArray()) {
    names.push_back(name.toString().toStdString());
  }
  const auto mesh = DeviceMesh::make(std::move(shape), std::move(names));
  return mesh ? std::optional(*mesh) : std::nullopt;
}

// Returns an empty list if one of the placements is not valid.
Placements placementsFrom(const QJsonArray& written) {
  Placements placements;
  for (const QJsonValue& value : written) {
    auto placement = parsePlacement(value.toString().toStdString());
    if (!placement) return {};
    placements.push_back(*std::move(placement));
  }
  return placements;
}

}  // namespace

std::optional<QString> placementsIn(const QJsonObject& scenario, const QJsonObject& step,
                                    const ProgramNotation& notation) {
  const bool isOrdered = step.contains(QStringLiteral("shard_order"));
  if (notation.notation == view::Notation::DTensor || isOrdered) return std::nullopt;
  const QJsonValue own = step[QStringLiteral("mesh")];
  const auto mesh = meshFrom((own.isObject() ? own : scenario[QStringLiteral("mesh")]).toObject());
  const auto placements = placementsFrom(step[QStringLiteral("placements")].toArray());
  if (!mesh || placements.empty()) return std::nullopt;
  const auto known = notation.dimensions.find(step[QStringLiteral("id")].toString());
  const auto dimensions =
      known == notation.dimensions.end() ? view::Dimensions() : view::Dimensions(known->second);
  return QString::fromStdString(
      view::placementsText(placements, *mesh, dimensions, notation.notation));
}

}  // namespace shardlens
