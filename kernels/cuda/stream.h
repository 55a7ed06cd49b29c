#pragma once

struct CUstream_st;  // cudaStream_t points to it; callers need no CUDA header
struct CUevent_st;   // cudaEvent_t points to it

namespace shardlens::kernels::cuda {

using Stream = CUstream_st*;  // null is the default stream

}  // namespace shardlens::kernels::cuda
