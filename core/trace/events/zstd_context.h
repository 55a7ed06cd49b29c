#pragma once

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace shardlens {

// Return the calling thread's zstd context, created at the first call. The thread owns it and frees
// it when it ends. Contexts are reused because creating one takes longer than using it.
ZSTD_CCtx_s* compressor();
ZSTD_DCtx_s* decompressor();

}  // namespace shardlens
