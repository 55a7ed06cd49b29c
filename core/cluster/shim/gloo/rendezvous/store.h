#pragma once

#include <torch/headeronly/version.h>

#include <chrono>
#include <string>
#include <vector>

namespace gloo::rendezvous {

// c10d's GlooStore derives from this class. libtorch contains the true one, which has further
// virtual functions (multi_get, add, ...). A GlooStore that this program constructed would have the
// wrong virtual table, so the constructor is not defined: constructing one does not link.
class Store {
 public:
  Store();
  virtual ~Store() = default;
  virtual void set(const std::string& key, const std::vector<char>& value) = 0;
  virtual std::vector<char> get(const std::string& key) = 0;
  virtual void wait(const std::vector<std::string>& keys) = 0;
  virtual void wait(const std::vector<std::string>& keys,
                    const std::chrono::milliseconds& timeout) = 0;
};
static_assert(TORCH_VERSION_MAJOR == 2 && (TORCH_VERSION_MINOR == 11 || TORCH_VERSION_MINOR == 15),
              "another torch: compare this folder with what ProcessGroupGloo.hpp uses of Gloo");

}  // namespace gloo::rendezvous
