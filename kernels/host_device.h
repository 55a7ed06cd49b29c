#pragma once

// Marks functions that are also compiled for the GPU. The tests run the CPU version.
#ifdef __CUDACC__
#define SHARDLENS_HOST_DEVICE __host__ __device__
#define SHARDLENS_UNROLLED _Pragma("unroll")
#define SHARDLENS_UNROLLED_BY_4 _Pragma("unroll 4")
#else
#define SHARDLENS_HOST_DEVICE
#define SHARDLENS_UNROLLED
#define SHARDLENS_UNROLLED_BY_4
#endif
