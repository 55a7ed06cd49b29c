#pragma once

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace shardlens {

// zstd's working memory, one of this thread: to make it takes longer than to use it.
ZSTD_CCtx_s* compressor();
ZSTD_DCtx_s* decompressor();

}  // namespace shardlens
