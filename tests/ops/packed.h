// Short functions for operations of the BM1684 on packed and 32-bit tensors.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "memory/layout.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/source.h"
#include "selftest/random_operation.h"

namespace tputwin::testing {

class PackedLanes {
 public:
  const Chip& chip = bm1684();
  Memory memory() { return storage_.memory(); }

  // Returns a tensor at an offset of the first lane: 8-bit elements in 4N mode, 16-bit ones in 2N
  // mode.
  TensorView packed(uint32_t offset, const Shape& shape, DType dtype) const {
    const uint8_t pack = is_16bit(dtype) ? 2 : 4;
    const Shape cells{(shape.n + pack - 1) / pack, shape.c, shape.h, shape.w};
    return {.dtype = dtype,
            .pack = pack,
            .plane_stride = is_16bit(dtype) ? 1u : 0u,
            .address = offset,
            .shape = shape,
            .stride = lane_stride(chip, cells, 0, 4, /*aligned=*/true)};
  }
  TensorView plain(uint64_t address, const Shape& shape, DType dtype = DType::b32) const {
    return {.dtype = dtype,
            .plane_stride = is_16bit(dtype) ? 1u : 0u,
            .address = address,
            .shape = shape,
            .stride = lane_stride(chip, shape, address / chip.lane_bytes, element_bytes(dtype),
                                  /*aligned=*/true)};
  }
  TensorView system(Space space, uint64_t address, const Shape& shape,
                    DType dtype = DType::b32) const {
    return {.space = space,
            .dtype = dtype,
            .plane_stride = is_16bit(dtype) ? 1u : 0u,
            .address = address,
            .shape = shape,
            .stride = system_stride(shape, element_bytes(dtype))};
  }

  // Writes values in index order, w fastest; one value fills the whole view.
  void put(const TensorView& view, const std::vector<int32_t>& values) {
    size_t i = 0;
    for_each_index(view.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      memory().write(view, n, c, h, w, values.size() == 1 ? values[0] : values.at(i++));
    });
  }
  std::vector<int32_t> get(const TensorView& view) {
    std::vector<int32_t> values;
    for_each_index(view.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      values.push_back(memory().read(view, n, c, h, w));
    });
    return values;
  }

  void run(const Operation& operation, KernelChoice kernel_choice) {
    const Status contract = check(operation, chip);
    ASSERT_TRUE(contract.ok()) << contract.message();
    const Status bounds = check_bounds(operation, chip, kTestGlobalBytes);
    ASSERT_TRUE(bounds.ok()) << bounds.message();
    execute(operation, memory(), kernel_choice);
  }

  static constexpr std::array kKernelChoices{KernelChoice::reference, KernelChoice::automatic};

 private:
  TestMemory storage_{bm1684()};
};

using Values = std::vector<int32_t>;

}  // namespace tputwin::testing
