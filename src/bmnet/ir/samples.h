// Predicates for operations that keep the samples of a batch independent.
#pragma once

#include "bmnet/ir/network.h"

namespace tputwin::net {

// Returns true if each sample of the result depends on that sample of the input only. Samples are
// along axis 0. For a batch of one the answer is unreliable if the operation keeps axis 0.
bool is_per_sample(const TensorOp& op);

// Returns true if values of one sample change the result of another one. This holds for operations
// that are not per sample. Heads of detectors are exempt: each of their rows belongs to one image.
// The batch must be at least two.
bool mixes_samples(const Network& network);

}  // namespace tputwin::net
