// Inner products of many columns before functions, such as the first of two layers of a
// transformer's block. Weights of all columns do not fit local memory, so that the result would be
// stored range by range, and loaded again by the function.
#include "bmnet/targets/bm1684x/windows/wide_products.h"

#include <algorithm>
#include <map>
#include <set>

#include "bmnet/targets/bm1684x/products/products.h"
#include "bmnet/targets/bm1684x/windows/layer_parts.h"

namespace tputwin::net::bm1684x {
namespace {

// Smaller results take no longer to load again than the transfers of ranges take to begin.
constexpr int64_t kLeastBytes = 128 * 1024;

bool is_of_one_value(const TensorOp& op) {
  return is(op, Op::activation) || is(op, Op::function) || is(op, Op::power) || is(op, Op::clip);
}

class WideProducts {
 public:
  WideProducts(const Network& network, const Types& types) : types_(types) {
    for (const TensorOp& op : network.ops)
      for (const std::string& t : op.bottom()) readers_[t].push_back(&op);
  }

  // Returns the product and the functions after it; none if it is not divided.
  std::vector<const TensorOp*> chain(const TensorOp& product) const {
    if (columns_of_range(product) == 0) return {};
    std::vector<const TensorOp*> found = {&product};
    const Numbers type = types_.floats_of(product.name());
    for (;;) {
      const auto readers = readers_.find(found.back()->top(0));
      if (readers == readers_.end() || readers->second.size() != 1) break;
      const TensorOp& next = *readers->second[0];
      if (!is_of_one_value(next) || next.bottom_size() != 1 ||
          !(types_.floats_of(next.name()) == type) ||
          dims(next.output_shape(0)) != dims(product.output_shape(0)))
        break;
      found.push_back(&next);
    }
    if (found.size() == 1) found.clear();
    return found;
  }

  // Returns 0 for layers that are no product, or whose weights are one range.
  int64_t columns_of_range(const TensorOp& op) const {
    if (!is(op, Op::inner_product) || op.output_shape(0).dim_size() != 2) return 0;
    const std::vector<int64_t> out = dims(op.output_shape(0));
    const DType type = types_.floats_of(op.name()).type;
    if (out[0] <= kFewRows || out[0] * out[1] * element_bytes(type) < kLeastBytes) return 0;
    const int64_t length = count(op.input_shape(0)) / out[0];
    const bool is_transposed =
        type != DType::f32 && length * element_bytes(type) % chip().eu_bytes == 0;
    const int64_t columns = columns_of_part(out[1], length, type, is_transposed);
    return columns < out[1] ? columns : 0;
  }

 private:
  const Types& types_;
  std::map<std::string, std::vector<const TensorOp*>> readers_;
};

TensorOp bare(const TensorOp& whole) {
  TensorOp op = whole;
  op.clear_calib_id();
  op.clear_bottom();
  op.clear_top();
  op.clear_input_shape();
  op.clear_output_shape();
  return op;
}

// The rows of a matrix in a range.
Blob part_of_rows(std::span<const float> matrix, Span range, int64_t length) {
  const auto part = matrix.subspan(static_cast<size_t>(range.begin * length),
                                   static_cast<size_t>(range.count() * length));
  return {{range.count(), length}, {part.begin(), part.end()}};
}

PartTensor in_ranges(LayerParts& parts, const std::vector<const TensorOp*>& chain,
                     const std::vector<Blob>& blobs, int64_t width) {
  const TensorOp& product = *chain[0];
  const std::vector<float> matrix = inner_product_matrix(product, blobs[0]);
  const int64_t columns = product.tg_inner_product_param().num_output();
  const int64_t length = static_cast<int64_t>(matrix.size()) / columns;
  const PartTensor x{product.bottom(0), dims(product.input_shape(0))};
  std::vector<PartTensor> ranges;
  for (int64_t first = 0; first < columns; first += width) {
    const Span range{first, std::min(first + width, columns)};
    TensorOp op = bare(product);
    auto& param = *op.mutable_tg_inner_product_param();
    param.set_num_output(static_cast<uint32_t>(range.count()));
    param.set_weight_transpose(true);
    std::vector<Blob> own{part_of_rows(matrix, range, length)};
    if (param.bias_term()) {
      own.push_back(part_of_rows(blobs[1].data, range, 1));
      own.back().shape = {range.count()};
    }
    PartTensor y = parts.add(std::move(op), {x}, std::move(own));
    for (const TensorOp* function : std::span(chain).subspan(1))
      y = parts.add(bare(*function), {y});
    ranges.push_back(y);
  }
  return parts.concat(ranges, 1);
}

}  // namespace

Status divide_wide_products(Network& network, const Types& types) {
  if (types.has_bytes) return {};
  const WideProducts wide(network, types);
  // By the last layer of each chain, which the parts replace.
  std::map<std::string, std::vector<const TensorOp*>> chains;
  std::set<std::string> replaced;
  for (const TensorOp& op : network.ops) {
    const std::vector<const TensorOp*> chain = wide.chain(op);
    if (chain.empty()) continue;
    chains[chain.back()->name()] = chain;
    for (const TensorOp* one : chain) replaced.insert(one->name());
  }
  std::vector<TensorOp> all;
  for (const TensorOp& op : network.ops) {
    const auto chain = chains.find(op.name());
    if (chain == chains.end()) {
      if (!replaced.contains(op.name())) all.push_back(op);
      continue;
    }
    const TensorOp& product = *chain->second[0];
    const std::vector<Blob> blobs = network.blobs.at(product.name());
    LayerParts parts(op, network);
    const PartTensor result =
        in_ranges(parts, chain->second, blobs, wide.columns_of_range(product));
    TW_ASSIGN_OR_RETURN(made, parts.finish(result));
    std::ranges::move(made, std::back_inserter(all));
    network.blobs.erase(product.name());
  }
  network.ops = std::move(all);
  return {};
}

}  // namespace tputwin::net::bm1684x
