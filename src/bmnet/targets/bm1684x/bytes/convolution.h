// Convolutions and products of bytes as kernels.
#pragma once

#include <memory>

#include "bmnet/targets/bm1684x/products/convolution_parts.h"

namespace tputwin::net::bm1684x {

// Returns the kernel of a part. Its weights are the filters, the words of channels and, by channel,
// the biases.
std::unique_ptr<StreamKernel> byte_convolution(const Layer& layer, const ConvolutionParts& all,
                                               const ConvolutionPart& part);

// Returns the kernels of an inner product of many rows, which is `all`. Its operands are viewed
// with rows in channels.
Kernels byte_rows_product(const Layer& layer, const ConvolutionParts& all);
// Returns false if rows are too long for that.
bool has_byte_rows(const ConvolutionPart& part);

}  // namespace tputwin::net::bm1684x
