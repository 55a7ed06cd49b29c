#pragma once

namespace gloo::transport {

// Declared only for ProcessGroupGloo.hpp; see gloo/algorithm.h.
class Device;
class UnboundBuffer;

}  // namespace gloo::transport
