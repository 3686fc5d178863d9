// Attention whose scores do not fit local memory.
//
// The scores of a head are a row for each position. A mask may be added, of each head and sample or
// of all. Samples are further heads. Ranges of rows are layers of their own: their scores are
// computed, normalized and multiplied one range after the other, in local memory.
#include "bmnet/targets/bm1684x/windows/long_attention.h"

#include <algorithm>
#include <optional>
#include <set>

#include "bmnet/targets/bm1684x/axis/axis_kernel.h"
#include "bmnet/targets/bm1684x/views.h"
#include "bmnet/targets/bm1684x/windows/layer_parts.h"

namespace tputwin::net::bm1684x {
namespace {

// scores = left * keys, result = softmax(scores) * values, for each head. All have four axes.
struct Attention {
  const TensorOp* scores = nullptr;
  const TensorOp* softmax = nullptr;
  const TensorOp* result = nullptr;
};

constexpr int64_t kMostHeads = 64;

std::vector<int64_t> four_axes(const TensorShape& shape) {
  std::vector<int64_t> d = dims(shape);
  while (d.size() < 4) d.insert(d.begin(), 1);
  return d;
}

const TensorShape& mask_shape(const TensorOp& softmax) {
  return softmax.bottom_size() == 2 ? softmax.input_shape(1)
                                    : softmax.tg_softmax_param().addend_shape();
}

class Finder {
 public:
  Finder(const Network& network, const Types& types) : network_(network), types_(types) {
    for (const TensorOp& op : network.ops)
      for (const std::string& t : op.bottom()) ++readers_[t];
  }

  // Returns the attention that ends with a layer, if its scores are long.
  std::optional<Attention> ending_with(const TensorOp& op) const {
    Attention a{.result = &op};
    if (!is_product(op)) return std::nullopt;
    a.softmax = only_producer(op.bottom(0));
    if (a.softmax == nullptr || !is(*a.softmax, Op::softmax) || !is_plain(*a.softmax))
      return std::nullopt;
    a.scores = only_producer(a.softmax->bottom(0));
    if (a.scores == nullptr || !is_product(*a.scores) || !is_long(a)) return std::nullopt;
    const auto type = [&](const TensorOp* one) { return types_.floats_of(one->name()); };
    return type(a.scores) == type(&op) && type(a.softmax) == type(&op) ? std::optional(a)
                                                                       : std::nullopt;
  }

 private:
  // Products of two tensors, with a right matrix for every head of every sample.
  static bool is_product(const TensorOp& op) {
    if (!is(op, Op::matmul) || op.bottom_size() != 2 || op.output_shape(0).dim_size() > 4)
      return false;
    const std::vector<int64_t> a = four_axes(op.input_shape(0)), b = four_axes(op.input_shape(1));
    return a[0] == b[0] && a[1] == b[1];
  }
  static bool is_plain(const TensorOp& op) {
    const auto& p = op.tg_softmax_param();
    const int axes = op.input_shape(0).dim_size();
    const bool has_two_masks = p.has_addend_shape() && op.bottom_size() == 2;
    return !has_two_masks && (p.axis() == axes - 1 || p.axis() == -1) &&
           dims(op.input_shape(0)) == dims(op.output_shape(0)) && has_known_mask(op);
  }
  // Parts have their constants for themselves, so that they must not be many.
  static bool has_known_mask(const TensorOp& op) {
    constexpr int64_t kMostConstants = int64_t{1} << 26;
    const std::vector<int64_t> scores = four_axes(op.input_shape(0));
    const auto& p = op.tg_softmax_param();
    if (!p.has_addend_shape() && op.bottom_size() == 1) return true;
    const std::vector<int64_t> mask = four_axes(mask_shape(op));
    for (const size_t axis : {0, 1, 2})
      if (mask[axis] != 1 && mask[axis] != scores[axis]) return false;
    return mask[3] == scores[3] &&
           (!p.has_addend_shape() || scores[0] * scores[1] * mask[2] * mask[3] <= kMostConstants);
  }
  // True if the softmax of a head is divided anyway.
  static bool is_long(const Attention& a) {
    const std::vector<int64_t> s = four_axes(a.scores->output_shape(0));
    const int64_t rounds = most_axis_rows(s[3]);
    return rounds > 0 && s[0] * s[1] <= kMostHeads && s[2] > most_channels(rounds);
  }
  const TensorOp* only_producer(const std::string& tensor) const {
    const auto found = readers_.find(tensor);
    return found != readers_.end() && found->second == 1 ? network_.producer(tensor) : nullptr;
  }

  const Network& network_;
  const Types& types_;
  std::map<std::string, int> readers_;
};

// Returns an operand with the heads of all samples on its second axis.
PartTensor operand(LayerParts& parts, const TensorOp& op, int index) {
  const PartTensor x{op.bottom(index), dims(op.input_shape(index))};
  const std::vector<int64_t> d = four_axes(op.input_shape(index));
  return parts.reshape(x, {1, d[0] * d[1], d[2], d[3]});
}

PartTensor multiply(LayerParts& parts, const PartTensor& a, const PartTensor& b) {
  TensorOp op;
  set_type(op, Op::matmul);
  return parts.add(std::move(op), {a, b});
}

// Rows of a head, as samples of equal numbers of rows.
PartTensor rows_of(LayerParts& parts, const PartTensor& left, int64_t head, const RowRange& r) {
  const int64_t columns = left.dims[3];
  const PartTensor rows = parts.crop(left, {0, head, r.first, 0}, {1, 1, r.n * r.c, columns});
  return parts.reshape(rows, {r.n, r.c, columns});
}

PartTensor matrix_of(LayerParts& parts, const PartTensor& all, int64_t head) {
  const int64_t rows = all.dims[2], columns = all.dims[3];
  return parts.reshape(parts.crop(all, {0, head, 0, 0}, {1, 1, rows, columns}), {1, rows, columns});
}

// Returns which of its matrices a mask has for a head of all samples' heads.
int64_t matrix_of_mask(const Attention& a, const std::vector<int64_t>& mask, int64_t head) {
  const int64_t heads = four_axes(a.scores->output_shape(0))[1];
  return (mask[0] > 1 ? head / heads * mask[1] : 0) + (mask[1] > 1 ? head % heads : 0);
}

// The softmax of a range of rows of a head.
PartTensor normalize(LayerParts& parts, const Attention& a, const Network& network,
                     const PartTensor& scores, int64_t head, const RowRange& r) {
  TensorOp op;
  set_type(op, Op::softmax);
  auto& param = *op.mutable_tg_softmax_param();
  param = a.softmax->tg_softmax_param();
  param.set_axis(2);
  const bool is_constant = param.has_addend_shape();
  if (!is_constant && a.softmax->bottom_size() == 1) return parts.add(std::move(op), {scores});
  const std::vector<int64_t> mask = four_axes(mask_shape(*a.softmax));
  const bool has_rows = mask[2] > 1, has_matrices = mask[0] * mask[1] > 1;
  const int64_t matrix = matrix_of_mask(a, mask, head), first_row = has_rows ? r.first : 0;
  const std::vector<int64_t> own =
      has_rows ? std::vector{r.n, r.c, mask[3]} : std::vector<int64_t>{1, 1, mask[3]};
  if (!is_constant) {
    PartTensor x = operand(parts, *a.softmax, 1);
    if (has_rows || has_matrices)
      x = parts.crop(x, {0, matrix, first_row, 0}, {1, 1, own[0] * own[1], mask[3]});
    return parts.add(std::move(op), {scores, parts.reshape(x, own)});
  }
  *param.mutable_addend_shape() = make_shape(own);
  const std::vector<float>& all = network.blobs.at(a.softmax->name())[0].data;
  const auto first = all.begin() + (matrix * mask[2] + first_row) * mask[3];
  return parts.add(std::move(op), {scores},
                   {{own, std::vector<float>(first, first + own[0] * own[1] * own[2])}});
}

PartTensor divided(LayerParts& parts, const Attention& a, const Network& network) {
  const PartTensor left = operand(parts, *a.scores, 0), keys = operand(parts, *a.scores, 1),
                   values = operand(parts, *a.result, 1);
  std::vector<PartTensor> heads;
  for (int64_t h = 0; h < left.dims[1]; ++h) {
    const PartTensor own_keys = matrix_of(parts, keys, h), own_values = matrix_of(parts, values, h);
    std::vector<PartTensor> ranges;
    for (const RowRange& r : row_ranges(left.dims[2], most_axis_rows(keys.dims[3]))) {
      const PartTensor scores = multiply(parts, rows_of(parts, left, h, r), own_keys);
      const PartTensor weights = normalize(parts, a, network, scores, h, r);
      const PartTensor result = multiply(parts, weights, own_values);
      ranges.push_back(parts.reshape(result, {1, 1, r.n * r.c, values.dims[3]}));
    }
    heads.push_back(ranges.size() == 1 ? ranges[0] : parts.concat(ranges, 2));
  }
  const PartTensor all = heads.size() == 1 ? heads[0] : parts.concat(heads, 1);
  return parts.reshape(all, dims(a.result->output_shape(0)));
}

}  // namespace

Status divide_long_attention(Network& network, const Types& types) {
  std::vector<TensorOp> all;
  std::set<std::string> replaced;
  const Finder finder(network, types);
  for (const TensorOp& op : network.ops) {
    const auto attention = finder.ending_with(op);
    if (!attention) {
      all.push_back(op);
      continue;
    }
    LayerParts parts(op, network);
    const PartTensor result = divided(parts, *attention, network);
    TW_ASSIGN_OR_RETURN(made, parts.finish(result));
    std::ranges::move(made, std::back_inserter(all));
    network.blobs.erase(op.name());
    replaced.insert({attention->scores->name(), attention->softmax->name()});
  }
  std::erase_if(all, [&](const TensorOp& op) { return replaced.contains(op.name()); });
  network.ops = std::move(all);
  return {};
}

}  // namespace tputwin::net::bm1684x
