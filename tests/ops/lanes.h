// A memory with short functions that put values into views, run an operation and read values back.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "memory/layout.h"
#include "ops/contract/kernel_steps.h"
#include "selftest/random_operation.h"

namespace tputwin::testing {

class Lanes {
 public:
  const Chip& chip = bm1880();

  // Writes values in index order, w fastest; one value fills the whole view.
  void put(const TensorView& view, const std::vector<int32_t>& values) {
    size_t i = 0;
    for_each_index(view.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      memory().write(view, n, c, h, w, values.size() == 1 ? values[0] : values.at(i++));
    });
  }
  void put(const MatrixView& m, const std::vector<int32_t>& values) {
    for (uint32_t r = 0, i = 0; r < m.rows; ++r)
      for (uint32_t c = 0; c < m.cols; ++c, ++i)
        memory().write(m, r, c, values.size() == 1 ? values[0] : values.at(i));
  }
  std::vector<int32_t> get(const TensorView& view) {
    std::vector<int32_t> values;
    for_each_index(view.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      values.push_back(memory().read(view, n, c, h, w));
    });
    return values;
  }
  std::vector<int32_t> get(const MatrixView& m) {
    std::vector<int32_t> values;
    for (uint32_t r = 0; r < m.rows; ++r)
      for (uint32_t c = 0; c < m.cols; ++c) values.push_back(memory().read(m, r, c));
    return values;
  }

  // Runs the reference kernel; the operation must be legal.
  void run(const Operation& operation) {
    Status contract = check(operation, chip);
    ASSERT_TRUE(contract.ok()) << contract.message();
    Status bounds = check_bounds(operation, chip, kTestGlobalBytes);
    ASSERT_TRUE(bounds.ok()) << bounds.message();
    execute(operation, memory(), KernelChoice::reference);
  }

  TensorView aligned(uint64_t address, const Shape& shape, DType dtype = DType::i8) const {
    return local_tensor(chip, address, shape, /*aligned=*/true, dtype);
  }
  // Returns a 16-bit view, with the high bytes 1024 bytes above the low ones.
  TensorView wide(uint64_t address, const Shape& shape, DType dtype = DType::i16) const {
    TensorView view = aligned(address, shape, dtype);
    view.plane_stride = 1024;
    return view;
  }
  Memory memory() { return storage_.memory(); }

 private:
  TestMemory storage_{chip};
};

using Values = std::vector<int32_t>;

}  // namespace tputwin::testing
