// Arguments of the interpreter's functions, one per IR type, and the arithmetic that they share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/errors/bmnet.h"
#include "bmnet/integers/integers.h"
#include "bmnet/ir/network.h"
#include "numerics/integer.h"

namespace tputwin::net::reference {

struct Layer {
  const TensorOp& op;
  const LayerIntegers& integers;
  std::span<const Blob> blobs;
  std::vector<std::span<const uint8_t>> inputs;
  std::vector<std::span<uint8_t>> outputs;

  const int8_t* in(size_t i = 0) const { return reinterpret_cast<const int8_t*>(inputs[i].data()); }
  int8_t* out(size_t i = 0) const { return reinterpret_cast<int8_t*>(outputs[i].data()); }
  std::span<const int8_t> values(size_t i = 0) const { return {in(i), inputs[i].size()}; }
  std::span<int8_t> results(size_t i = 0) const { return {out(i), outputs[i].size()}; }
  Extents in_extents(int i = 0) const { return extents(op.input_shape(i)); }
  Extents out_extents(int i = 0) const { return extents(op.output_shape(i)); }
};

inline Error fail(const TensorOp& op, ErrorId id) {
  return Error(id).in("layer " + op.name() + " (" + op.type() + ")");
}

// ---- Arithmetic of integers/integers.h ----

inline int64_t rhu(int64_t value, int shift) {
  return round_shift(value, static_cast<uint32_t>(shift));
}
inline int8_t sat8(int64_t value) { return static_cast<int8_t>(saturate(value, DType::i8)); }
inline int64_t sat16(int64_t value) { return saturate(value, DType::i16); }

// Returns multiplier i; 1 if the table has none.
inline int multiplier(const LayerIntegers& integers, size_t i) {
  return i < integers.multiplier.size() ? integers.multiplier[i] : 1;
}

inline int64_t product(const TensorShape& shape, int begin, int end) {
  int64_t result = 1;
  for (int i = begin; i < end; ++i) result *= shape.dim(i);
  return result;
}

// Returns the axis counted from the first; an error if the shape has no such axis.
Result<int> axis_of(const Layer& layer, int axis);

// Returns the values of a blob as integers. The blob must have `count` values, all within the type
// Range.
template <class Range, class Stored = Range>
Result<std::vector<Stored>> integers_of(const Layer& layer, std::string_view name,
                                        const std::vector<float>& data, int64_t count) {
  auto wrong = [&](ErrorId id, std::string value) {
    return fail(layer.op, id).argument(name, std::move(value));
  };
  if (static_cast<int64_t>(data.size()) != count)
    return wrong(errors::net_blob_shape,
                 std::to_string(data.size()) + " values, not " + std::to_string(count));
  for (float v : data)
    if (!(v >= std::numeric_limits<Range>::min() && v <= std::numeric_limits<Range>::max()) ||
        v != static_cast<float>(static_cast<Range>(v)))
      return wrong(errors::net_not_integer, std::to_string(v));
  return std::vector<Stored>(data.begin(), data.end());
}

// Returns the values of blob `index` as integers. Error if the blob is missing.
template <class Range, class Stored = Range>
Result<std::vector<Stored>> integer_blob(const Layer& layer, size_t index, int64_t count) {
  if (index >= layer.blobs.size()) return fail(layer.op, errors::net_missing_blob);
  return integers_of<Range, Stored>(layer, "blob " + std::to_string(index), layer.blobs[index].data,
                                    count);
}

// ---- Column `interpreter` of ir/ops.def ----

#define TW_OP_TPU(name, traits, shapes, tiles, moves, formula, integers, interpreter) \
  Status interpreter(const Layer&);
#include "bmnet/ir/ops.def"
Status cpu_operator(const Layer&);

}  // namespace tputwin::net::reference
