// How much each tensor of a compiled net differs from float execution.
#pragma once

#include "bmnet_bm1684x/support.h"

namespace tputwin::test {

// Prints a line for each tensor that a net of `keep_all` keeps, which `table` quantized:
//   difference  from float execution, in units of the tensor's largest magnitude, and the cosine
//   alone       difference of the tensor from float execution of its layer alone, on the values
//               that the chip's layer reads: in steps of bytes, or in units of the largest
//   bytes       "equal" if a layer of bytes of the BM1684 has those of the interpreter
Status print_tensors(const net::Network& network, net::bm1684x::CompiledStream compiled,
                     const net::testing::Values& inputs, const NetCalibrationParameter* table);

}  // namespace tputwin::test
