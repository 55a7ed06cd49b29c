// Text notation of meshes: printer and parser.

#include "core/model/mesh.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace shardlens {
namespace {

// Returns the parts between separators, without surrounding spaces.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (bool more = true; more;) {
    const auto end = text.find(separator);
    auto piece = text.substr(0, end);
    while (piece.starts_with(' ')) piece.remove_prefix(1);
    while (piece.ends_with(' ')) piece.remove_suffix(1);
    pieces.push_back(piece);
    more = end != std::string_view::npos;
    if (more) text.remove_prefix(end + 1);
  }
  return pieces;
}

}  // namespace

std::string toText(const DeviceMesh& mesh) {
  std::string sizes, names;
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    sizes += (dim > 0 ? "x" : "") + std::to_string(mesh.size(dim));
    names += (dim > 0 ? "," : "") + mesh.names()[static_cast<std::size_t>(dim)];
  }
  return sizes + ":" + names;
}

Result<DeviceMesh> parseMesh(std::string_view text) {
  const auto colon = text.find(':');
  std::vector<int> shape;
  for (const auto piece : split(text.substr(0, colon), 'x')) {
    const auto* const end = piece.data() + piece.size();
    const auto [stop, error] = std::from_chars(piece.data(), end, shape.emplace_back());
    if (error != std::errc() || stop != end) {
      return fail("got " + std::string(text) +
                  ", expected sizes as 2x4, perhaps with names as 2x4:dp,tp");
    }
  }
  std::vector<std::string> names;
  if (colon != std::string_view::npos) {
    for (const auto piece : split(text.substr(colon + 1), ',')) names.emplace_back(piece);
  }
  return DeviceMesh::make(std::move(shape), std::move(names));
}

}  // namespace shardlens
