#include "core/trace/file/trace_open.h"

#include "core/trace/file/trace_schema.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <system_error>
#include <unistd.h>

namespace shardlens {

namespace fs = std::filesystem;

namespace {

tl::unexpected<Error> refuse(const fs::path& path, const std::string& reason) {
  return fail(path.string() + " " + reason);
}

// Checks the file before SQLite does, because SQLite does not report these reasons.
std::optional<std::string> whyNotReadable(const fs::path& path) {
  std::error_code code;
  const auto status = fs::status(path, code);
  if (status.type() == fs::file_type::not_found) return "does not exist";
  if (code) return "cannot be read: " + code.message();
  if (fs::is_directory(status)) return "is a folder, not a Shardlens recording";
  if (!fs::is_regular_file(status)) return "is not a Shardlens recording: it is not a regular file";
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) {
    return std::string("cannot be read: ") + std::strerror(errno);
  }
  if (fs::file_size(path, code) == 0) return "is not a Shardlens recording: it is empty";
  return std::nullopt;
}

Result<void> checkIdentity(const fs::path& path, Database& database) {
  const std::int64_t id = database.integer("PRAGMA application_id");
  if (id != kApplicationId) {
    return refuse(
        path, fmt::format("is not a Shardlens recording: its application_id is {}, expected {}", id,
                          kApplicationId));
  }
  const std::int64_t format = database.integer("PRAGMA user_version");
  if (format < 1) return refuse(path, "is damaged: its format is " + std::to_string(format));
  if (format > kFormat || format < kOldestFormat) {
    return refuse(path, fmt::format("is of format {}, this Shardlens reads {} to {}", format,
                                    kOldestFormat, kFormat));
  }
  if (!database.hasChecksums()) {
    return refuse(path, "is damaged: its pages have no checksums");
  }
  return {};
}

// Verifies the pages from now on, if the writer closed the recording, so that each page has its
// checksum. Each recording has the row `format`: without it another page is at the place of the
// metadata.
Result<void> verifyIfSealed(const fs::path& path, Database& database) {
  Statement find(database, "SELECT count(*) FROM meta WHERE key=?");
  const auto has = [&find](std::string_view key) {
    const Statement::Rows rows(find);
    return find.bind(1, key).step() && find.integer(0) != 0;
  };
  if (!has(kFormatTextKey)) return refuse(path, "is damaged: its metadata has no format");
  const bool isPlain = has(kPlainSealedKey);
  if (!isPlain && !has(kSealedKey)) return {};
  database.verifyChecksums(isPlain ? ChecksumRule::Plain : ChecksumRule::Numbered);
  return {};
}

// Rejects views, virtual tables and computed columns, which could produce rows without end.
Result<void> checkTables(const fs::path& path, Database& database) {
  const std::int64_t others = database.integer(
      "SELECT count(*) FROM sqlite_master AS t"
      " LEFT JOIN pragma_table_xinfo(t.name) AS c WHERE lower(t.name) IN"
      " ('meta', 'strings', 'shard_values', 'blocks', 'specs', 'routes', 'tensor_blocks',"
      " 'bookmarks', 'segments', 'segment_totals') AND (t.type<>'table' OR t.rootpage=0 OR "
      "c.hidden<>0)");
  if (others != 0) return refuse(path, "is damaged: its tables are computed, not stored");
  return {};
}

// Returns true if the last page is incomplete, which SQLite would read as zeros. With a WAL the
// file itself may be behind.
bool isTruncated(const fs::path& path, Database& database) {
  std::error_code code;
  const auto log = fs::file_size(path.string() + "-wal", code);
  if (!code && log != 0) return false;
  const auto size = fs::file_size(path, code);
  return size % static_cast<std::uintmax_t>(database.integer("PRAGMA page_size")) != 0;
}

Result<std::unique_ptr<Database>> tryOpen(const fs::path& path, Database::Access access) {
  auto database = std::make_unique<Database>(path, access);
  if (const auto known = checkIdentity(path, *database); !known) {
    return tl::unexpected(known.error());
  }
  if (isTruncated(path, *database)) return refuse(path, "is damaged: it is truncated");
  database->execute("PRAGMA trusted_schema=0; PRAGMA cell_size_check=1;");
  if (const auto plain = checkTables(path, *database); !plain) {
    return tl::unexpected(plain.error());
  }
  if (const auto sealed = verifyIfSealed(path, *database); !sealed) {
    return tl::unexpected(sealed.error());
  }
  if (access == Database::Access::ReadWrite) database->execute("PRAGMA query_only=1");
  return database;
}

fs::path journalOf(const fs::path& path) { return path.string() + "-journal"; }

// Returns true if a transaction in rollback mode was not completed, so that the file alone is
// inconsistent.
bool hasHotJournal(const fs::path& path) {
  std::error_code code;
  const auto size = fs::file_size(journalOf(path), code);
  return !code && size != 0;
}

bool isAboutAccess(int code) {
  return code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_PERM ||
         code == SQLITE_IOERR || code == SQLITE_AUTH;
}

}  // namespace

std::string excerpt(std::string_view text) {
  constexpr std::size_t kShown = 80;
  return text.size() <= kShown ? std::string(text) : std::string(text.substr(0, kShown)) + "...";
}

Error explain(const fs::path& path, const DatabaseError& problem) {
  if (problem.code() == SQLITE_NOTADB) {
    return Error{path.string() + " is not a Shardlens recording: it is not an SQLite file"};
  }
  // SQLITE_ERROR: a table or column is missing.
  const bool damaged = problem.code() == SQLITE_CORRUPT || problem.code() == SQLITE_ERROR;
  // SQLite quotes damaged texts in full.
  constexpr std::size_t kMostOfReason = 300;
  return Error{path.string() + (damaged ? " is damaged: " : " cannot be read: ") +
               std::string(problem.what()).substr(0, kMostOfReason)};
}

Result<std::unique_ptr<Database>> openRecording(const fs::path& path) {
  if (const auto reason = whyNotReadable(path)) return refuse(path, *reason);
  using Access = Database::Access;
  for (const Access access : {Access::ReadWrite, Access::ReadOnly, Access::Immutable}) {
    if (access == Access::Immutable && hasHotJournal(path)) {
      return refuse(path, "cannot be read: its writer was killed during a commit, and " +
                              journalOf(path).filename().string() +
                              " cannot be applied in this folder, expected a writable folder");
    }
    try {
      return tryOpen(path, access);
    } catch (const DatabaseError& problem) {
      if (access == Access::Immutable || !isAboutAccess(problem.code())) {
        return tl::unexpected(explain(path, problem));
      }
    }
  }
  return refuse(path, "cannot be read");
}

}  // namespace shardlens
