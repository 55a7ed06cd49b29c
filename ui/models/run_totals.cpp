#include "ui/models/run_totals.h"

#include "core/base/wrapped_sum.h"
#include "core/model/shard_geometry.h"
#include "core/model/spec.h"
#include "core/trace/journal/tensor_ranks.h"
#include "ui/text/format.h"

#include <QObject>
#include <QStringList>
#include <algorithm>
#include <vector>

namespace shardlens {
namespace {

constexpr TensorId kMostSized = 4096;
constexpr int kMostRanks = 64;

}  // namespace

std::map<std::string, std::int64_t> bytesByAxis(const Journal& journal) {
  std::map<std::string, std::int64_t> bytes;
  for (const auto& [key, totals] : journal.totals().all()) {
    if (key.kind == EventKind::Collective) {
      increase(bytes[axisOf(journal, eventOf(key))], totals.bytes);
    }
  }
  return bytes;
}

std::map<std::string, std::int64_t> bytesByAxis(const RunSummary& run) {
  std::map<std::string, std::int64_t> bytes;
  for (const auto& file : run.files) {
    for (const auto& group : file.summary.totals) {
      if (group.kind == EventKind::Collective) increase(bytes[group.axis], group.totals.bytes);
    }
  }
  return bytes;
}

QString sentText(const std::map<std::string, std::int64_t>& bytes, const QString& where) {
  QStringList axes;
  std::int64_t sum = 0, other = 0;
  for (const auto& [axis, sent] : bytes) {
    increase(sum, sent);
    if (axis.empty()) {
      increase(other, sent);
    } else if (sent > 0) {
      axes << QObject::tr("%1 %2").arg(toQString(axis), bytesText(sent));
    }
  }
  if (other > 0 && !axes.isEmpty()) axes << QObject::tr("other %1").arg(bytesText(other));
  const QString text = where.isEmpty() ? bytesText(sum) : bytesText(sum) + u' ' + where;
  return axes.isEmpty() ? text : text + QStringLiteral(": ") + axes.join(QStringLiteral(", "));
}

std::optional<TensorMemory> tensorMemory(const Journal& journal) {
  if (journal.tensors() == 0 || journal.tensors() > kMostSized) {
    return std::nullopt;
  }
  const auto mesh = recordedMesh(journal);
  if (!mesh || mesh->size() > kMostRanks) {
    return std::nullopt;
  }
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(mesh->size()), 0);
  for (TensorId id = 1; id <= journal.tensors(); ++id) {
    const TensorRecord tensor = journal.tensor(id);
    if (tensor.mesh != nullptr || static_cast<int>(tensor.placements.size()) != mesh->ndim()) {
      continue;
    }
    for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
      const Shape local =
          localShape(tensor.shape, *mesh, tensor.placements, static_cast<int>(rank));
      sizes[rank] += elementCount(local) * dtypeSize(tensor.dtype);
    }
  }
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  return TensorMemory{*least, *most, static_cast<int>(most - sizes.begin())};
}

}  // namespace shardlens
