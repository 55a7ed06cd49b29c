#pragma once

struct CUstream_st;  // cudaStream_t points to it; callers need no CUDA header
struct CUevent_st;   // cudaEvent_t points to it

namespace shardlens::kernels::cuda {

using Stream = CUstream_st*;

}  // namespace shardlens::kernels::cuda
