#include "core/comm/nccl/device/probe.h"

#include "core/comm/nccl/device/library.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace shardlens {
namespace {

// The driver functions in use. Their signatures are unchanged since CUDA 3.2, so no header is
// needed; a build without CUDA has none.
class Driver {
 public:
  static Result<Driver> open() {
    const auto library = Library::open({"libcuda.so.1"});
    if (!library) {
      return fail("no NVIDIA driver (" + library.error().message +
                  "): install one, or run where there is a GPU; in a container start it with "
                  "--gpus all");
    }
    Driver driver;
    const auto found =
        library->findInto(driver.init_, "cuInit")
            .and_then([&] { return library->findInto(driver.version_, "cuDriverGetVersion"); })
            .and_then([&] { return library->findInto(driver.count_, "cuDeviceGetCount"); })
            .and_then([&] { return library->findInto(driver.name_, "cuDeviceGetName"); })
            .and_then([&] { return library->findInto(driver.bytes_, "cuDeviceTotalMem_v2"); })
            .and_then([&] { return library->findInto(driver.attribute_, "cuDeviceGetAttribute"); })
            .and_then([&] { return library->findInto(driver.errorText_, "cuGetErrorString"); });
    return found.map([&] { return driver; });
  }

  Result<std::string> version() const {
    int code = 0;
    return checked(version_(&code), "cuDriverGetVersion").map([&] {
      return fmt::format("{}.{}", code / 1000, code % 1000 / 10);
    });
  }

  Result<std::vector<Gpu>> gpus() const {
    constexpr int kNoDevice = 100;  // CUDA_ERROR_NO_DEVICE
    int count = 0;
    const int begun = init_(0);
    if (begun == kNoDevice) return fail(noGpu());
    const auto counted = checked(begun, "cuInit").and_then([&] {
      return checked(count_(&count), "cuDeviceGetCount");
    });
    if (!counted) return tl::unexpected(counted.error());
    if (count == 0) return fail(noGpu());
    std::vector<Gpu> all;
    for (int i = 0; i < count; ++i) {
      auto gpu = this->gpu(i);
      if (!gpu) return tl::unexpected(gpu.error());
      all.push_back(*std::move(gpu));
    }
    return all;
  }

 private:
  Result<Gpu> gpu(int device) const {
    constexpr int kMajor = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
    constexpr int kMinor = 76;
    Gpu gpu;
    std::array<char, 256> name{};
    std::size_t bytes = 0;
    const auto queried =
        checked(name_(name.data(), static_cast<int>(name.size()), device), "cuDeviceGetName")
            .and_then([&] { return checked(bytes_(&bytes, device), "cuDeviceTotalMem"); })
            .and_then([&] {
              return checked(attribute_(&gpu.major, kMajor, device), "cuDeviceGetAttribute");
            })
            .and_then([&] {
              return checked(attribute_(&gpu.minor, kMinor, device), "cuDeviceGetAttribute");
            });
    gpu.name = name.data();
    gpu.bytes = static_cast<std::int64_t>(bytes);
    return queried.map([&] { return gpu; });
  }

  // The driver reports no device also if the variable hides all GPUs of the machine.
  static std::string noGpu() {
    constexpr const char* kVariable = "CUDA_VISIBLE_DEVICES";
    const char* visible = std::getenv(kVariable);
    if (visible == nullptr) {
      return "no GPU (the driver sees none): nvidia-smi lists those of the machine";
    }
    return fmt::format(
        "no GPU (the driver sees none; {} is \"{}\"): set it to the numbers of the GPUs to use, or "
        "unset it",
        kVariable, visible);
  }

  // Returns an error unless the function of the driver returned 0.
  Result<void> checked(int code, const char* function) const {
    if (code == 0) return {};
    const char* text = nullptr;
    errorText_(code, &text);
    return fail(fmt::format("the NVIDIA driver failed ({}: {}): nvidia-smi shows more", function,
                            text == nullptr ? fmt::format("error {}", code) : text));
  }

  int (*init_)(unsigned) = nullptr;
  int (*version_)(int*) = nullptr;
  int (*count_)(int*) = nullptr;
  int (*name_)(char*, int, int) = nullptr;
  int (*bytes_)(std::size_t*, int) = nullptr;
  int (*attribute_)(int*, int, int) = nullptr;
  int (*errorText_)(int, const char**) = nullptr;
};

Result<GpuProbe::Nccl> probeNccl() {
  const auto library = Library::open(ncclNames());
  if (!library) {
    return fail("no NCCL (" + library.error().message +
                "): the full torch brings it, which tests/run installs");
  }
  int (*getVersion)(int*) = nullptr;
  int code = 0;
  const auto found = library->findInto(getVersion, "ncclGetVersion");
  if (!found) return tl::unexpected(found.error());
  if (getVersion(&code) != 0) return fail(library->path().string() + ": ncclGetVersion failed");
  return GpuProbe::Nccl{ncclVersionText(code), library->path()};
}

Result<std::filesystem::path> probeTorchCuda() {
  const auto folder = torchFolder();
  if (!folder) return fail("this program was built without torch");
  auto file = *folder / "libtorch_cuda.so";
  if (std::filesystem::exists(file)) return file;
  return fail("torch has no GPU support (missing: " + file.string() +
              "): install the full torch, as tests/run does");
}

}  // namespace

std::string ncclVersionText(int code) {
  return fmt::format("{}.{}.{}", code / 10000, code / 100 % 100, code % 100);
}

GpuProbe probeGpus() {
  const auto driver = Driver::open();
  return {driver.and_then([](const Driver& d) { return d.version(); }),
          driver.and_then([](const Driver& d) { return d.gpus(); }), probeNccl(), probeTorchCuda()};
}

Result<void> readyForGpus(const GpuProbe& probe) {
  if (!probe.gpus) return tl::unexpected(probe.gpus.error());
  if (!probe.nccl) return tl::unexpected(probe.nccl.error());
  if (!probe.torchCuda) return tl::unexpected(probe.torchCuda.error());
  return {};
}

Result<int> gpuOfProcess(const char* localRank, int process, int gpus) {
  const std::string_view text = localRank == nullptr ? "" : localRank;
  int rank = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  const bool isNumber = error == std::errc() && end == text.data() + text.size();
  if (isNumber && 0 <= rank && rank < gpus) return rank;
  return fail(fmt::format(
      "process {}: the variable LOCAL_RANK is {}, expected {}: its machine has {} GPU{}; start no "
      "more processes per machine than it has GPUs",
      process, localRank == nullptr ? "not set" : fmt::format("\"{}\"", text),
      gpus == 1 ? "0" : fmt::format("0 to {}", gpus - 1), gpus, gpus == 1 ? "" : "s"));
}

}  // namespace shardlens
