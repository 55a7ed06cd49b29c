#include "core/trace/file/trace_create.h"

#include "core/trace/file/database.h"
#include "core/trace/file/trace_open.h"
#include "core/trace/file/trace_schema.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace shardlens {

namespace fs = std::filesystem;

namespace {

tl::unexpected<Error> cannotWrite(const fs::path& path, const std::string& reason) {
  return fail("cannot write " + path.string() + ": " + reason);
}

bool isRecording(const fs::path& path) {
  try {
    Database database(path, Database::Access::ReadOnly);
    return database.integer("PRAGMA application_id") == kApplicationId;
  } catch (const DatabaseError&) {
    return false;
  }
}

// Returns an error unless a recording may be created here. Only an older recording or an empty file
// may be replaced.
Result<void> checkTarget(const fs::path& path) {
  std::error_code code;
  const fs::path folder = path.parent_path();
  if (!fs::is_directory(folder, code)) {
    return cannotWrite(path, "the folder " + folder.string() + " does not exist");
  }
  if (!fs::exists(path, code)) return {};
  if (fs::is_directory(path, code)) return cannotWrite(path, "it is a folder");
  if (!fs::is_regular_file(path, code)) return cannotWrite(path, "it is not a regular file");
  if (::access(path.c_str(), W_OK) != 0) return cannotWrite(path, std::strerror(errno));
  if (fs::file_size(path, code) != 0 && !isRecording(path)) {
    return cannotWrite(path, "it exists and is not a Shardlens recording");
  }
  return {};
}

// A temporary file beside the target. Its path is removed on destruction; after a successful rename
// there is nothing left to remove.
class ScratchFile {
 public:
  explicit ScratchFile(const fs::path& target)
      : path_(target.parent_path() /
              fmt::format(".{}.{}.new", target.filename().string(), ::getpid())) {}
  ~ScratchFile() {
    std::error_code code;
    fs::remove(path_, code);
    fs::remove(path_.string() + "-journal", code);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Creates the file, to get an errno that SQLite does not report.
std::error_code touch(const fs::path& path) {
  const int file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) return {errno, std::generic_category()};
  ::close(file);
  return {};
}

void makeEmptyRecording(const fs::path& path) {
  Database database(path, Database::Access::Create);
  database.execute(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}; BEGIN; {}COMMIT;",
                               kApplicationId, kFormat, schemaSql()));
}

// Removes side files of the old recording, because SQLite would apply them to the new one.
std::error_code removeSideFiles(const fs::path& target) {
  std::error_code code;
  for (const char* suffix : {"-wal", "-shm", "-journal", kLockSuffix}) {
    fs::remove(target.string() + suffix, code);
    if (code) return code;
  }
  return code;
}

// Calls `fill` on a temporary file and moves the result to `path` atomically. Calls `claim` with
// the target path just before. Returns the target path.
template <class Fill, class Claim>
Result<fs::path> putInPlace(const fs::path& path, const Fill& fill, const Claim& claim) {
  std::error_code code;
  fs::path target = fs::absolute(path, code);
  if (fs::is_symlink(target, code)) target = fs::weakly_canonical(target, code);
  if (const auto allowed = checkTarget(target); !allowed) return tl::unexpected(allowed.error());

  const ScratchFile scratch(target);
  if ((code = touch(scratch.path()))) return cannotWrite(target, code.message());
  try {
    fill(scratch.path());
    if ((code = removeSideFiles(target))) return cannotWrite(target, code.message());
    claim(target);
    fs::rename(scratch.path(), target, code);
    if (code) return cannotWrite(target, code.message());
    return target;
  } catch (const DatabaseError& problem) {
    return cannotWrite(target, problem.what());
  }
}

}  // namespace

// The lock is taken before the recording appears, so that a reader never finds it without a writer.
Result<NewRecording> createRecording(const fs::path& path) {
  NewRecording made;
  const auto target = putInPlace(path, makeEmptyRecording, [&](const fs::path& each) {
    made.lock = std::make_unique<WriterLock>(each);
  });
  if (!target) return tl::unexpected(target.error());
  made.path = *target;
  return made;
}

Result<void> copyRecording(const fs::path& source, const fs::path& path) {
  const auto database = openRecording(source);
  if (!database) return tl::unexpected(database.error());
  const auto fill = [&](const fs::path& scratch) {
    (*database)->execute("PRAGMA query_only=0");
    Statement(**database, "VACUUM INTO ?").bind(1, std::string_view(scratch.native())).run();
    Database copy(scratch, Database::Access::ReadWrite);
    Statement(copy, "DELETE FROM meta WHERE key=?").bind(1, kPlainSealedKey).run();
    for (const auto key : {kEndedKey, kSealedKey}) {
      Statement(copy, "INSERT OR REPLACE INTO meta VALUES(?, '1')").bind(1, key).run();
    }
  };
  const auto copied = putInPlace(path, fill, [](const fs::path& /*target*/) {});
  if (!copied) return tl::unexpected(copied.error());
  return {};
}

}  // namespace shardlens
