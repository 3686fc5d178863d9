// channel_affine: scale and bias per channel.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/source.h"

namespace tputwin {

// bias alone:  in + bias(c)              scale and bias:  (in * scale(c)) + bias(c)
// scale alone: in * scale(c)                       adds_zero: that + 0, so that -0 becomes +0
// accumulate:  out + (in * scale(c)), and ((in * scale(c)) + bias(c)) + out
struct ChannelAffine {
  TensorView out, in;
  // (1,C,1,1), or one value for all channels. At least one of the two is present.
  std::optional<Source> scale, bias;
  bool accumulate = false;  // only with a scale
  // Only with a scale alone that does not accumulate.
  bool adds_zero = false;
};

// Returns one element. Parameters that the operation does not have are ignored.
float affine(const ChannelAffine& op, float in, float scale, float bias, float old);

TW_OPERATION(ChannelAffine);

}  // namespace tputwin
