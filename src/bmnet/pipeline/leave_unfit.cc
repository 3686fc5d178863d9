// Pass leave_unfit: leaves layers that the chip's commands cannot express to the host, in floats.
// Examples: a pooling of stride 20, a 3x3 convolution of 5000 channels, rows of 2000 elements. The
// importers have already expressed what they can by layers that fit.
#include <algorithm>
#include <cmath>

#include "base/errors/bmnet.h"
#include "bmnet/integers/integers.h"
#include "bmnet/kernels/lower_op.h"
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {
namespace {

// Returns true if a number of the layer exceeds a field of a command.
bool exceeds_fields(const Network& network, size_t index, const LayerIntegers& integers) {
  const TensorOp& op = network.ops[index];
  if (!can_leave_to_host(op) || runs_on_host(op) || has_trait(op, trait::moves_elements))
    return false;
  const auto lowered = lower_op(network, index, integers);
  return !lowered.ok() && lowered.error().id() == errors::net_field;
}

void multiply(Blob& blob, double factor) {
  for (float& value : blob.data) value = static_cast<float>(value * factor);
}

// Converts int8 weights to floats: w = q * T_y / (T_x * 2^shift), bias = q * T_y / (128 * 2^shift).
void make_real(const TensorOp& op, const LayerIntegers& integers, std::vector<Blob>& blobs) {
  const double x = integers.threshold_x.at(0), y = integers.threshold_y.at(0);
  const int shift = is(op, Op::prelu) ? integers.le_shift : integers.right_shift;
  multiply(blobs.at(0), std::ldexp(y / x, -shift));
  if (blobs.size() > 1) multiply(blobs[1], std::ldexp(y / 128, -shift));
}

}  // namespace

Status leave_unfit(Compilation& c) {
  const auto integers = resolve(c.network, c.table);
  if (!integers.ok()) return {};  // no table: nothing can be compiled
  for (size_t i = 0; i < c.network.ops.size(); ++i) {
    if (!exceeds_fields(c.network, i, (*integers)[i])) continue;
    TensorOp& op = c.network.ops[i];
    op.set_cpu_op(true);
    if (!has_trait(op, trait::integer_blobs)) continue;
    if (const auto blobs = c.network.blobs.find(op.name()); blobs != c.network.blobs.end())
      make_real(op, (*integers)[i], blobs->second);
  }
  return {};
}

}  // namespace tputwin::net::pass
