// A window by channel in 16 bits, computed by the commands over all input channels.
#pragma once

#include "bmnet/targets/bm1684x/window.h"

namespace tputwin::net::bm1684x {

// Commands by channel round every product and every sum to 16 bits; those over all input channels
// add in fp32. So blocks of as many channels as there are lanes are convolved with weights that are
// 0 between different channels. These are the weights by channel times the identity.
//
// The weights are those by channel, the identity, and then the biases, if there are any.
class BlockDepthwise final : public WindowKernel {
 public:
  int64_t scratch_bytes(const Extents& output) const override;
  void emit(StreamProgram& program, const Operands& o) const override;

  // Returns the identity of a block.
  static Weight identity(DType type);

 private:
  void emit_weights(StreamProgram& program, const Operands& o, int64_t block, int64_t count) const;
  void emit_block(StreamProgram& program, const Operands& o, int64_t sample, int64_t block,
                  int64_t count) const;
  int64_t taps() const { return int64_t{window.kernel_h} * window.kernel_w; }
  DType type() const { return inputs[0].type; }
};

}  // namespace tputwin::net::bm1684x
