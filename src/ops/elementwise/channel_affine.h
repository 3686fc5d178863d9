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
  std::optional<Source> scale, bias;  // (1,C,1,1), or one for all channels; at least one
  bool accumulate = false;            // with a scale only
  bool adds_zero = false;             // with a scale alone, unless it accumulates
};

// One element; parameters that the operation does not have are not looked at.
float affine(const ChannelAffine& op, float in, float scale, float bias, float old);

TW_OPERATION(ChannelAffine);

}  // namespace tputwin
