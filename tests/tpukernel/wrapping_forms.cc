// Matrices, vectors, rows by index and selections whose channels wrap from the last NPU to the
// first: random cases of the GDMA forms compared with plain loops. (The BM1684X has no reversing
// forms.)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numeric>

#include "tpukernel/wrapping.h"

namespace tputwin::tputest {
namespace {

using testing::RandomCases;
using testing::Rng;

constexpr data_type_t kFormTypes[] = {DT_INT8, DT_UINT16, DT_FP16, DT_FP32, DT_INT32};
constexpr data_type_t kIntegers[] = {DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32, DT_UINT32};

// One case: draws its tensors, calls the function on one device, and computes the same on the
// other.
class Case {
 public:
  Case(Rng& rng, Pair& pair) : rng_(rng), pair_(pair) {}

  int in(int low, int high) {
    return static_cast<int>(rng_.range(static_cast<uint32_t>(low), static_cast<uint32_t>(high)));
  }
  template <size_t N>
  data_type_t one_of(const data_type_t (&types)[N]) {
    return types[rng_.below(N)];
  }

  // Returns the n-th tensor of the case, of four.
  Tensor tensor(int number, bool local, const dim4& shape, data_type_t type) {
    Tensor t{.local = local, .offset = 0, .shape = shape, .bytes = bytes_of(type)};
    t.offset = static_cast<uint32_t>(number) * (local ? 64 : 256) * 1024;
    if (local) t.npu = wrapping_start(rng_, shape.c);
    return t;
  }
  // Returns the tensor from NPU 0 on, where the document places the tensors of h_gather and
  // h_scatter.
  Tensor from_npu_0(int number, bool local, const dim4& shape, data_type_t type) {
    Tensor t = tensor(number, local, shape, type);
    t.npu = 0;
    return t;
  }
  // Writes a value at the same position of both devices.
  void put(const Tensor& t, int c, int h, int w, uint32_t value) {
    for (OwnDevice* own : {&pair_.expected, &pair_.called})
      std::memcpy(t.at(*own, 0, c, h, w), &value, static_cast<size_t>(t.bytes));
  }
  bool is_zero(const Tensor& t, int c, int h, int w) {
    const uint8_t* at = this->at(t, 0, c, h, w);
    return std::all_of(at, at + t.bytes, [](uint8_t byte) { return byte == 0; });
  }
  // Returns an address in the device of the plain loops.
  uint8_t* at(const Tensor& t, int n, int c, int h, int w) {
    return t.at(pair_.expected, n, c, h, w);
  }
  void copy(uint8_t* to, const void* from, int bytes) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  }
  uint32_t word() { return static_cast<uint32_t>(rng_.next()); }
  Rng& rng() { return rng_; }

 private:
  Rng& rng_;
  Pair& pair_;
};

local_addr_t lane_address(const Tensor& t) { return static_cast<local_addr_t>(t.address()); }

// ---- matrices and vectors ----

struct MatrixForm {
  bool to_lanes, transposed = false, vector = false;
};

void call(const MatrixForm& form, const Tensor& lanes, uint64_t system, int rows, int cols,
          int row_stride, data_type_t type) {
  const local_addr_t at = lane_address(lanes);
  const int per_channel = lanes.shape.w;
  if (form.vector && form.to_lanes)
    tpu_gdma_vector_S2L(at, system, cols, per_channel, type);
  else if (form.vector)
    tpu_gdma_vector_L2S(system, at, cols, per_channel, type);
  else if (form.transposed && form.to_lanes)
    tpu_gdma_matrix_trans_S2L(at, system, cols, rows, per_channel, row_stride, type);
  else if (form.transposed)
    tpu_gdma_matrix_trans_L2S(system, at, rows, cols, per_channel, row_stride, type);
  else if (form.to_lanes)
    tpu_gdma_matrix_S2L(at, system, rows, cols, per_channel, row_stride, type);
  else
    tpu_gdma_matrix_L2S(system, at, rows, cols, per_channel, row_stride, type);
}

void matrix(Case& c, const MatrixForm& form) {
  const data_type_t type = c.one_of(kFormTypes);
  const int rows = form.vector ? 1 : c.in(1, 5), per_channel = c.in(1, 9);
  const int channels = c.in(2, 140);
  const int cols = channels * per_channel - c.in(0, per_channel - 1);
  const Tensor lanes = c.tensor(0, true, {rows, channels, 1, per_channel}, type);
  const int row_stride = form.vector ? cols : (form.transposed ? rows : cols) + c.in(0, 5);
  const int lines = form.transposed ? cols : rows;
  const Tensor system = c.tensor(1, false, {1, 1, lines, row_stride}, type);
  call(form, lanes, system.address(), rows, cols, row_stride, type);
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      uint8_t* lane = c.at(lanes, row, col / per_channel, 0, col % per_channel);
      uint8_t* other =
          form.transposed ? c.at(system, 0, 0, col, row) : c.at(system, 0, 0, row, col);
      c.copy(form.to_lanes ? lane : other, form.to_lanes ? other : lane, lanes.bytes);
    }
}

// ---- rows by index ----

struct RowForm {
  bool scatters, out_local, param_local, index_local;
};

#define CALL_ROWS(to, from, to_type, from_type)                                                  \
  if (form.scatters)                                                                             \
    tpu_gdma_h_scatter_##from##2##to(static_cast<to_type>(out.address()),                        \
                                     static_cast<from_type>(param.address()), index.address(),   \
                                     form.index_local, &out.shape, param.shape.h, nullptr,       \
                                     nullptr, nullptr, type);                                    \
  else                                                                                           \
    tpu_gdma_h_gather_##from##2##to(static_cast<to_type>(out.address()),                         \
                                    static_cast<from_type>(param.address()), index.address(),    \
                                    form.index_local, value, &out.shape, param.shape.h, nullptr, \
                                    nullptr, nullptr, type);
void call(const RowForm& form, const Tensor& out, const Tensor& param, const Tensor& index,
          scalar_t value, data_type_t type) {
  if (form.out_local && form.param_local) {
    CALL_ROWS(L, L, local_addr_t, local_addr_t)
  } else if (form.out_local) {
    CALL_ROWS(L, S, local_addr_t, system_addr_t)
  } else if (form.param_local) {
    CALL_ROWS(S, L, system_addr_t, local_addr_t)
  } else {
    CALL_ROWS(S, S, system_addr_t, system_addr_t)
  }
}

void rows(Case& c, const RowForm& form) {
  const data_type_t type = c.one_of(kFormTypes);
  const int channels = c.in(2, 140), h = c.in(1, 6), w = c.in(1, 9);
  const int param_h = form.scatters ? c.in(1, h) : c.in(1, 6);
  const Tensor out = c.from_npu_0(0, form.out_local, {1, channels, h, w}, type);
  const Tensor param = c.from_npu_0(1, form.param_local, {1, channels, param_h, w}, type);
  const int indices = form.scatters ? param_h : h;
  const Tensor index = c.from_npu_0(2, form.index_local, {1, channels, indices, 1}, DT_UINT32);
  const scalar_t value{.u32 = c.word()};
  std::vector<std::vector<int>> drawn(static_cast<size_t>(channels));
  for (int channel = 0; channel < channels; ++channel) {
    std::vector<int>& own = drawn[static_cast<size_t>(channel)];
    own.resize(static_cast<size_t>(h));
    std::iota(own.begin(), own.end(), 0);  // indices of a scatter are distinct
    for (size_t i = own.size(); i > 1; --i) std::swap(own[i - 1], own[c.rng().below(i)]);
    if (!form.scatters)
      for (int& i : own) i = c.in(0, param_h);  // param_h is out of range: gives the value
    for (int i = 0; i < indices; ++i)
      c.put(index, channel, i, 0, static_cast<uint32_t>(own[static_cast<size_t>(i)]));
  }
  call(form, out, param, index, value, type);
  for (int channel = 0; channel < channels; ++channel)
    for (int i = 0; i < indices; ++i)
      for (int x = 0; x < w; ++x) {
        const int y = drawn[static_cast<size_t>(channel)][static_cast<size_t>(i)];
        if (form.scatters)
          c.copy(c.at(out, 0, channel, y, x), c.at(param, 0, channel, i, x), out.bytes);
        else if (y < param_h)
          c.copy(c.at(out, 0, channel, i, x), c.at(param, 0, channel, y, x), out.bytes);
        else
          c.copy(c.at(out, 0, channel, i, x), &value, out.bytes);
      }
}

// ---- selections ----

// Calls f(c, h, w) in index order.
void each(const dim4& shape, const std::function<void(int, int, int)>& f) {
  for (int c = 0; c < shape.c; ++c)
    for (int h = 0; h < shape.h; ++h)
      for (int w = 0; w < shape.w; ++w) f(c, h, w);
}

void clear_some(Case& c, const Tensor& t) {
  each(t.shape, [&](int channel, int h, int w) {
    if (c.rng().chance(1, 2)) c.put(t, channel, h, w, 0);
  });
}

dim4 selection_shape(Case& c) { return {1, c.in(2, 140), c.in(1, 3), c.in(1, 9)}; }

void mask_select(Case& c, bool src_local, bool mask_local) {
  const data_type_t type = c.one_of(kFormTypes), mask_type = c.one_of(kIntegers);
  const dim4 shape = selection_shape(c);
  const Tensor src = c.tensor(0, src_local, shape, type);
  const Tensor mask = c.tensor(1, mask_local, shape, mask_type);
  const Tensor dst = c.tensor(2, false, {1, 1, 1, shape.c * shape.h * shape.w}, type);
  clear_some(c, mask);
  if (src_local)
    tpu_gdma_mask_select_L2S(dst.address(), lane_address(src), mask.address(), mask_local, &shape,
                             type, mask_type);
  else
    tpu_gdma_mask_select_S2S(dst.address(), src.address(), mask.address(), mask_local, &shape, type,
                             mask_type);
  int chosen = 0;
  each(shape, [&](int channel, int h, int w) {
    if (!c.is_zero(mask, channel, h, w))
      c.copy(c.at(dst, 0, 0, 0, chosen++), c.at(src, 0, channel, h, w), src.bytes);
  });
}

void nonzero(Case& c) {
  const data_type_t type = c.one_of(kIntegers);
  const dim4 shape = selection_shape(c);
  const Tensor src = c.tensor(0, true, shape, type);
  const Tensor dst = c.tensor(1, false, {1, 1, 1, shape.c * shape.h * shape.w}, DT_UINT32);
  clear_some(c, src);
  const uint32_t base = c.word();
  tpu_gdma_nonzero_L2S(dst.address(), lane_address(src), &shape, type, base);
  uint32_t position = base;
  int chosen = 0;
  each(shape, [&](int channel, int h, int w) {
    if (!c.is_zero(src, channel, h, w)) c.copy(c.at(dst, 0, 0, 0, chosen++), &position, 4);
    ++position;
  });
}

std::map<std::string, std::function<void(Case&)>> forms() {
  std::map<std::string, std::function<void(Case&)>> all;
  for (const bool to_lanes : {false, true}) {
    const std::string way = to_lanes ? "S2L" : "L2S";
    all["matrix_" + way] = [=](Case& c) { matrix(c, {to_lanes}); };
    all["matrix_trans_" + way] = [=](Case& c) { matrix(c, {to_lanes, /*transposed=*/true}); };
    all["vector_" + way] = [=](Case& c) { matrix(c, {to_lanes, false, /*vector=*/true}); };
    for (const bool param : {false, true})
      for (const bool index : {false, true})
        for (const bool scatters : {false, true}) {
          if (!to_lanes && !param && !index) continue;  // no operand in lanes
          const std::string name =
              fmt::format("h_{}_{}2{}, index {}", scatters ? "scatter" : "gather", "SL"[param],
                          "SL"[to_lanes], "SL"[index]);
          all[name] = [=](Case& c) { rows(c, {scatters, to_lanes, param, index}); };
        }
  }
  all["mask_select_L2S, mask S"] = [](Case& c) { mask_select(c, true, false); };
  all["mask_select_L2S, mask L"] = [](Case& c) { mask_select(c, true, true); };
  all["mask_select_S2S, mask L"] = [](Case& c) { mask_select(c, false, true); };
  all["nonzero_L2S"] = nonzero;
  return all;
}

TEST(WrappingStarts, MatricesRowsAndSelections) {
  const RandomCases cases(6);
  Pair pair(cases.seed);
  for (uint64_t index = cases.first; index < cases.end(); ++index)
    for (const auto& [name, form] : forms()) {
      SCOPED_TRACE(name + "\n" + cases.rerun(index));
      Rng rng = cases.rng(index);
      Case c(rng, pair);
      form(c);
      ASSERT_EQ(pair.called.error(), "");
      ASSERT_TRUE(pair.equal());
    }
}

}  // namespace
}  // namespace tputwin::tputest
