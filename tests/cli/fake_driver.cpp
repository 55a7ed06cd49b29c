// A libcuda.so.1 with the entry points that programs call to list GPUs. Reports one GPU that cannot
// run anything. As the real driver, it reports no device if CUDA_VISIBLE_DEVICES is empty.

#include <cstddef>
#include <cstdlib>
#include <cstring>

extern "C" {

int cuInit(unsigned) {
  constexpr int kNoDevice = 100;  // CUDA_ERROR_NO_DEVICE
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible != nullptr && *visible == '\0' ? kNoDevice : 0;
}

int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}

int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}

int cuDeviceGetName(char* name, int length, int) {
  std::strncpy(name, "Fake", static_cast<std::size_t>(length));
  return 0;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = std::size_t{1} << 30;
  return 0;
}

int cuDeviceGetAttribute(int* value, int, int) {
  *value = 9;
  return 0;
}

int cuGetErrorString(int, const char** text) {
  *text = "an error";
  return 0;
}
}
