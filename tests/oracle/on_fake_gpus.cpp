#include "core/legacy/register_legacy.h"
#include "core/session/session.h"
#include "tests/tensor/gpu/fake_cuda.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <span>

// `on_fake_gpus run --json FILE`: answers as `shardlens run --json FILE`, with ranks on fake GPUs.
int main(int argc, char** argv) {
  using namespace shardlens;  // NOLINT(google-build-using-namespace)
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  auto scenarios = readScenarios(arguments.back());
  if (!scenarios) {
    std::cerr << scenarios.error().message << '\n';
    return 2;
  }
  registerLegacy();
  int exitCode = 0;
  for (auto& scenario : *scenarios) {
    Session session(std::move(scenario), {.backend = Backend::of(fake_cuda::communicator)});
    while (session.step()) {
    }
    if (!session.ok()) exitCode = 1;
    std::cout << session.answer().dump() << '\n';
  }
  return exitCode;
}
