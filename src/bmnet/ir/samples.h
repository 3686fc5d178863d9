// Which operations keep the samples of a batch apart.
#pragma once

#include "bmnet/ir/network.h"

namespace tputwin::net {

// True if the results of a sample come from that sample alone, with the samples along axis 0. In a
// batch of one sample this cannot be told of operations that keep the number of samples.
bool is_per_sample(const TensorOp& op);

// True if values of one sample change what comes of another one: of operations that are not per
// sample all but heads of detectors, whose rows are of one image each. The batch is two or more.
bool mixes_samples(const Network& network);

}  // namespace tputwin::net
