// Descriptions of values that break rules.
#include "ops/rules/rule.h"

namespace tputwin {

std::string describe(const Axis& a) {
  return fmt::format("kernel {} stride {} dilation {} pad {},{} insert {},{}", a.kernel, a.stride,
                     a.dilation, a.pad_before, a.pad_after, a.insert, a.insert_last);
}

std::string describe(const MatrixView& m) {
  return fmt::format("{}x{} {}", m.rows, m.cols, describe(m.tensor));
}

}  // namespace tputwin
