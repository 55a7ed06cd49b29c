#include "core/legacy/legacy_embedding.h"

#include "core/memory/row_lookup.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

class LegacyEmbedding final : public LegacyOperator {
 public:
  LegacyEmbedding(const at::Tensor& weight, at::Tensor ids, const LegacyOptions& options)
      : table_("nn.Embedding", weight, ids, options), ids_(std::move(ids)), options_(options) {}

  at::Tensor run() override {
    words_ = table_.gathered(ids_);
    if (options_.maxNorm) table_.renorm(ids_, words_, *options_.maxNorm, options_.normType);
    const auto lookedUp = lookedUpWords();
    auto shape = ids_.sizes().vec();
    shape.push_back(table_.weight().size(1));
    return table_.result(std::move(shape), table_.collected(lookedUp));
  }

  at::Tensor gradientOfTable(const at::Tensor& gradient) override {
    const auto spread = table_.spread(gradient);
    auto padding = options_.paddingIdx;
    if (padding && *padding < 0) *padding += table_.weight().size(0);
    Buffers tables;
    for (std::size_t i = 0; i < table_.hosted(); ++i) {
      tables.push_back(addUp(spread[i], words_[i], table_.rows(i), padding));
    }
    return table_.tableGradient(std::move(tables));
  }

 private:
  Buffers lookedUpWords() const {
    const ComputeSpan span = table_.computing("embedding");
    Buffers lookedUp;
    for (std::size_t i = 0; i < table_.hosted(); ++i) {
      lookedUp.push_back(lookUp(table_.local(i), words_[i], table_.rows(i)));
    }
    return lookedUp;
  }

  LegacyTable table_;
  at::Tensor ids_;
  LegacyOptions options_;
  Buffers words_;  // all ids, per hosted rank
};

}  // namespace

at::Tensor legacyEmbedding(const at::Tensor& weight, const at::Tensor& ids,
                           const LegacyOptions& options) {
  return runLegacy("sharded_embedding", weight, ids,
                   c10::make_intrusive<LegacyEmbedding>(weight, ids, options));
}

}  // namespace shardlens
