// Masks that tensors make, in int8 on the BM1684X.
#pragma once

namespace tputwin::test {

// Calibrates and compiles the nets of bmnet_onnx/mask_forms.h, runs them, and compares the results
// with float execution. Prints those that differ. Returns the exit code.
int run_masks();

}  // namespace tputwin::test
