#include "core/follow/token.h"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <sys/random.h>
#include <sys/stat.h>

namespace shardlens {

Result<std::string> drawToken() {
  std::array<std::uint8_t, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return fail("the system gives no random numbers for a token");
  }
  std::string token;
  for (const std::uint8_t byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

Result<std::string> readToken(const std::filesystem::path& file) {
  struct stat state {};
  if (::stat(file.c_str(), &state) != 0) return fail(file.string() + ": there is no such file");
  if ((state.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return fail(file.string() + ": others may read or write it, expected a token that only its" +
                " owner can read (chmod 600)");
  }
  std::ifstream stream(file);
  std::string token;
  std::getline(stream, token);
  if (token.size() < 16) {
    return fail(
        fmt::format("{}: got a token of {} characters, expected 16 or more in its first line",
                    file.string(), token.size()));
  }
  return token;
}

bool sameToken(std::string_view got, std::string_view expected) {
  unsigned differs = got.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const char given = i < got.size() ? got[i] : '\0';
    differs |= static_cast<unsigned>(static_cast<unsigned char>(given ^ expected[i]));
  }
  return differs == 0;
}

}  // namespace shardlens
