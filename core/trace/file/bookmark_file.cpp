#include "core/trace/file/bookmark_file.h"

#include "core/trace/file/database.h"
#include "core/trace/file/trace_open.h"

namespace shardlens {
namespace {

void write(Database& database, std::span<const BookmarkChange> changes) {
  Transaction transaction(database, Transaction::Kind::Immediate);
  Statement put(database, "INSERT OR REPLACE INTO bookmarks(event, note) VALUES(?, ?)");
  Statement drop(database, "DELETE FROM bookmarks WHERE event = ?");
  for (const auto& [event, note] : changes) {
    if (note) {
      put.bind(1, std::int64_t{event}).bind(2, std::string_view(*note)).run();
    } else {
      drop.bind(1, std::int64_t{event}).run();
    }
  }
  transaction.commit();
}

}  // namespace

Result<void> keepBookmarks(const std::filesystem::path& path,
                           std::span<const BookmarkChange> changes) {
  const auto refuse = [&](const std::string& why) {
    return fail("cannot keep bookmarks in " + path.string() + ": " + why);
  };
  const auto database = openRecording(path);
  if (!database) return refuse(database.error().message);
  try {
    // A trigger would run on the writes below.
    if ((*database)->integer("SELECT count(*) FROM sqlite_master WHERE type='trigger'") != 0) {
      return refuse("it has a trigger, which no recording has");
    }
    (*database)->execute("PRAGMA query_only=0");
    write(**database, changes);
    return {};
  } catch (const DatabaseError& problem) {
    return refuse(problem.what());
  }
}

}  // namespace shardlens
