// Replaces conv2d_onednn.cc where the build has no oneDNN (TPUTWIN_ONEDNN).
#include "ops/fast/dispatch/isa.h"
#include "ops/fast/gemm/onednn/conv2d_onednn.h"

namespace tputwin::fast {

OneDnn onednn_on_this_host() { return OneDnn::absent; }

Declined execute_onednn(const Conv2dBm1880&, const Memory&) {
  return "a build without the library";
}

}  // namespace tputwin::fast
