// Matrix products as tiles of matrix_mac.
#include <fmt/format.h>
#include <libbmblas/bmblas_api_1880.h>

#include <algorithm>

#include "base/errors/bmruntime.h"
#include "base/last_error.h"

namespace {

using tputwin::Error;
namespace errors = tputwin::errors;

// 12-bit fields; a 16-bit result uses two rows per row.
constexpr size_t kMaxExtent = 4095 / 2;

struct Tile {
  size_t m, n, k;
};

// Tensors of one tile in local memory, freed in reverse order.
class TileMemory {
 public:
  TileMemory(bmk1880_context_t* ctx, const Tile& tile) : ctx_(ctx) {
    res = alloc(2 * tile.m, tile.n);  // first, so that it stays while K advances
    left = alloc(tile.m, tile.k);
    right = alloc(tile.k, tile.n);
  }
  ~TileMemory() {
    for (tensor_lmem* t : {right, left, res})
      if (t != nullptr) bmk1880_tl_free(ctx_, t);
  }
  TileMemory(const TileMemory&) = delete;
  bool complete() const { return left != nullptr && right != nullptr && res != nullptr; }

  tensor_lmem *res, *left, *right;

 private:
  tensor_lmem* alloc(size_t rows, size_t cols) {
    return bmk1880_tl_alloc(ctx_, shape_t2(static_cast<int>(rows), static_cast<int>(cols)), FMT_I8,
                            CTRL_AL);
  }
  bmk1880_context_t* ctx_;
};

// Returns the bytes per lane of a tile's three matrices.
size_t lane_bytes(bmk1880_context_t* ctx, const Tile& t) {
  auto bytes = [&](size_t rows, size_t cols) {
    shape_t shape = shape_t2(static_cast<int>(rows), static_cast<int>(cols));
    return static_cast<size_t>(bmk1880_tl_shape_to_size(ctx, shape, true, FMT_I8));
  };
  return bytes(t.m, t.k) + bytes(t.k, t.n) + bytes(2 * t.m, t.n);
}

// Halves extents until a tile fits. K is halved last, because splitting it costs exactness.
Tile choose_tile(bmk1880_context_t* ctx, Tile tile, size_t available) {
  auto cap = [](size_t extent) { return std::min(extent, kMaxExtent); };
  tile = {cap(tile.m), cap(tile.n), std::min<size_t>(tile.k, 4095)};
  auto halve = [](size_t& extent) { extent = (extent + 1) / 2; };
  while (lane_bytes(ctx, tile) > available) {
    if (tile.m > 32)
      halve(tile.m);
    else if (tile.n > 16)
      halve(tile.n);
    else if (tile.m > 1)
      halve(tile.m);
    else if (tile.k > 1)
      halve(tile.k);
    else
      break;
  }
  return tile;
}

// Returns the bytes per lane above the newest allocation; 0 if there are none.
size_t free_lane_bytes(bmk1880_context_t* ctx) {
  tensor_lmem* probe = bmk1880_tl_alloc(ctx, shape_t4(1, 1, 1, 16), FMT_I8, CTRL_AL);
  if (probe == nullptr) return 0;
  size_t available = bmk1880_chip_info().lmem_size - tl_address(probe);
  bmk1880_tl_free(ctx, probe);
  return available;
}

stride_t row_stride(size_t columns) { return stride_t2(static_cast<int>(columns), 1); }

void multiply_tile(bmk1880_context_t* ctx, const TileMemory& tile, bool add) {
  bmk1880_matrix_mac_param_t p;
  p.res = tile.res;
  p.left = tile.left;
  p.right = tile.right;
  p.bias = nullptr;
  p.lshift_width = 0;
  p.rshift_width = 0;
  p.res_is_int8 = false;
  p.ctrls = add ? CTRL_RA : CTRL_NULL;
  bmk1880_tpu_matrix_mac(ctx, &p);
}

struct Problem {
  bmk1880_context_t* ctx;
  size_t M, N, K;
  u64 a, b, c;
};

// Low bytes are the first rows of the result in local memory, high bytes the rest. In global memory
// the planes are M*N apart.
void store_planes(const Problem& p, const TileMemory& tile, const Tile& size, u64 address) {
  shape_t plane = shape_t2(static_cast<int>(size.m), static_cast<int>(size.n));
  int bytes = bmk1880_tl_shape_to_size(p.ctx, plane, true, FMT_I8);
  for (int high : {0, 1}) {
    laddr_t where = tl_address(tile.res) + static_cast<laddr_t>(high * bytes);
    tensor_lmem* t = bmk1880_tl_prealloc_align(p.ctx, where, plane, FMT_I8);
    bmk1880_gdma_store_stride(p.ctx, t, address + high * u64{p.M} * p.N, row_stride(p.N),
                              CTRL_NULL);
    bmk1880_tl_free(p.ctx, t);
  }
}

// Computes C(m.., n..) for one tile of C, summed over the tiles of K. Returns false if its tensors
// do not fit local memory.
bool multiply_block(const Problem& p, const Tile& step, size_t m, size_t n) {
  Tile size{std::min(step.m, p.M - m), std::min(step.n, p.N - n), 0};
  for (size_t k = 0; k < p.K; k += step.k) {
    size.k = std::min(step.k, p.K - k);
    TileMemory tile(p.ctx, size);
    if (!tile.complete()) return false;
    bmk1880_gdma_load_stride(p.ctx, tile.left, p.a + m * p.K + k, row_stride(p.K), CTRL_NULL);
    bmk1880_gdma_load_stride(p.ctx, tile.right, p.b + k * p.N + n, row_stride(p.N), CTRL_NULL);
    multiply_tile(p.ctx, tile, k > 0);
    if (k + size.k == p.K) store_planes(p, tile, size, p.c + m * p.N + n);
  }
  return true;
}

bool multiply(const Problem& p) {
  if (p.ctx == nullptr || p.M == 0 || p.N == 0 || p.K == 0) return false;
  size_t available = free_lane_bytes(p.ctx);
  Tile step = choose_tile(p.ctx, {p.M, p.N, p.K}, available);
  if (lane_bytes(p.ctx, step) > available) return false;
  for (size_t m = 0; m < p.M; m += step.m)
    for (size_t n = 0; n < p.N; n += step.n)
      if (!multiply_block(p, step, m, n)) return false;
  return true;
}

}  // namespace

void bmblas_gemm(bmk1880_context_t* ctx, size_t M, size_t N, size_t K, u64 gaddr_a, u64 gaddr_b,
                 u64 gaddr_c) {
  if (multiply({ctx, M, N, K, gaddr_a, gaddr_b, gaddr_c})) return;
  (void)tputwin::report(Error(errors::bmr_blas_shape)
                            .in("bmblas_gemm")
                            .argument("(M,N,K)", fmt::format("({},{},{})", M, N, K)));
}
