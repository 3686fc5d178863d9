#include "tpu.h"

#include <bmkernel/bm1880/bmkernel_1880.h>
#include <libbmruntime/bmruntime_bmkernel.h>
#include <string.h>
#include <tputwin/error.h>

namespace {

// Weights in global memory; every filter is in the layout that its operation requires.
struct Weights {
  uint8_t feature[kFeatures * 9];       // (1,8,9,1): the convolution layout of (1,8,3,3)
  uint8_t feature_bias[2 * kFeatures];  // low bytes, then high bytes
  uint8_t smooth[kFeatures * 9];        // (1,8,3,3)
  uint8_t upscale[kFeatures * 16];      // (1,8,4,4)
  uint8_t mix[kColours * kFeatures];    // (1,3,1,8): the convolution layout of (8,3,1,1)
};

Weights make_weights() {
  Weights w;
  memcpy(w.feature, kFeatureWeights, sizeof w.feature);
  memcpy(w.mix, kMixWeights, sizeof w.mix);
  for (int f = 0; f < kFeatures; f++) {
    w.feature_bias[f] = (uint8_t)(kFeatureBias[f] & 0xff);
    w.feature_bias[kFeatures + f] = (uint8_t)((kFeatureBias[f] >> 8) & 0xff);
    memcpy(w.smooth + f * 9, kSmoothWeights, 9);
    memcpy(w.upscale + f * 16, kUpscaleWeights, 16);
  }
  return w;
}

// Local memory of the program: weights, loaded once, and the maps of one batch.
struct Maps {
  tensor_lmem *feature_weight, *feature_bias, *smooth_weight, *upscale_weight, *mix_weight;
  tensor_lmem *grey, *features, *smooth, *pooled, *large, *colours;
};

Maps allocate(bmk1880_context_t* bk) {
  auto unaligned = [&](int n, int c, int h, int w) {
    return bmk1880_tl_alloc(bk, shape_t4(n, c, h, w), FMT_I8, CTRL_NULL);
  };
  auto aligned = [&](int n, int c, int side, fmt_t fmt) {
    return bmk1880_tl_alloc(bk, shape_t4(n, c, side, side), fmt, CTRL_AL);
  };
  Maps m;
  m.feature_weight = unaligned(1, kFeatures, 9, 1);
  m.feature_bias = unaligned(2, kFeatures, 1, 1);
  m.mix_weight = unaligned(1, kColours, 1, kFeatures);
  m.smooth_weight = aligned(1, kFeatures, 3, FMT_I8);
  m.upscale_weight = aligned(1, kFeatures, 4, FMT_I8);
  m.grey = aligned(kBatch, 1, kSide, FMT_U8);
  m.features = aligned(kBatch, kFeatures, kSide, FMT_U8);
  m.smooth = aligned(kBatch, kFeatures, kSide, FMT_I8);
  m.pooled = aligned(kBatch, kFeatures, kPooled, FMT_I8);
  m.large = aligned(kBatch, kFeatures, kSide, FMT_I8);
  m.colours = aligned(kBatch, kColours, kSide, FMT_U8);
  return m;
}

void release(bmk1880_context_t* bk, const Maps& m) {
  tensor_lmem* const in_order[] = {m.feature_weight, m.feature_bias, m.mix_weight, m.smooth_weight,
                                   m.upscale_weight, m.grey,         m.features,   m.smooth,
                                   m.pooled,         m.large,        m.colours};
  for (size_t i = sizeof in_order / sizeof in_order[0]; i-- > 0;) bmk1880_tl_free(bk, in_order[i]);
}

void load_weights(bmk1880_context_t* bk, const Maps& m, u64 address) {
  bmk1880_gdma_load(bk, m.feature_weight, address + offsetof(Weights, feature), CTRL_NULL);
  bmk1880_gdma_load(bk, m.feature_bias, address + offsetof(Weights, feature_bias), CTRL_NULL);
  bmk1880_gdma_load(bk, m.smooth_weight, address + offsetof(Weights, smooth), CTRL_NULL);
  bmk1880_gdma_load(bk, m.upscale_weight, address + offsetof(Weights, upscale), CTRL_NULL);
  bmk1880_gdma_load(bk, m.mix_weight, address + offsetof(Weights, mix), CTRL_NULL);
  // The computations expect convolution weights as (ic,oc,kh,kw).
  tl_reshape(m.feature_weight, shape_t4(1, kFeatures, 3, 3));
  tl_reshape(m.mix_weight, shape_t4(kFeatures, kColours, 1, 1));
}

void convolve(bmk1880_context_t* bk, tensor_lmem* out, tensor_lmem* in, tensor_lmem* weight,
              tensor_lmem* bias, u8 pad, int rshift) {
  bmk1880_conv_param_t p;
  memset(&p, 0, sizeof p);
  p.ofmap = out;
  p.ifmap = in;
  p.weight = weight;
  p.bias = bias;
  p.pad_top = p.pad_bottom = p.pad_left = p.pad_right = pad;
  p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
  p.relu_enable = true;
  p.rshift_width = rshift;
  bmk1880_tpu_conv(bk, &p);
}

void smooth(bmk1880_context_t* bk, const Maps& m) {
  bmk1880_depthwise_param_t p;
  memset(&p, 0, sizeof p);
  p.ofmap = m.smooth;
  p.ifmap = m.features;
  p.weight = m.smooth_weight;
  p.pad_top = p.pad_bottom = p.pad_left = p.pad_right = 1;
  p.stride_h = p.stride_w = 1;
  p.rshift_width = kSmoothShift;
  bmk1880_tpu_depthwise(bk, &p);
}

void pool(bmk1880_context_t* bk, const Maps& m) {
  bmk1880_max_pooling_param_t p;
  memset(&p, 0, sizeof p);
  p.ofmap = m.pooled;
  p.ifmap = m.smooth;
  p.kh = p.kw = p.stride_h = p.stride_w = 2;
  bmk1880_tpu_max_pooling(bk, &p);
}

// Inserts a zero after every pixel; then a filter spreads each pixel over its neighbours.
void upscale(bmk1880_context_t* bk, const Maps& m) {
  bmk1880_depthwise_param_t p;
  memset(&p, 0, sizeof p);
  p.ofmap = m.large;
  p.ifmap = m.pooled;
  p.weight = m.upscale_weight;
  p.ins_h = p.ins_w = p.ins_last_h = p.ins_last_w = 1;
  p.pad_top = p.pad_left = 2;
  p.pad_bottom = p.pad_right = 1;
  p.stride_h = p.stride_w = 1;
  p.rshift_width = kUpscaleShift;
  bmk1880_tpu_depthwise(bk, &p);
}

void process_batch(bmk1880_context_t* bk, const Maps& m, u64 grey, u64 features, u64 colours) {
  bmk1880_gdma_load(bk, m.grey, grey, CTRL_NULL);
  convolve(bk, m.features, m.grey, m.feature_weight, m.feature_bias, 1, kFeatureShift);
  bmk1880_gdma_store(bk, m.features, features, CTRL_NULL);
  smooth(bk, m);
  pool(bk, m);
  upscale(bk, m);
  convolve(bk, m.colours, m.large, m.mix_weight, NULL, 0, kMixShift);
  bmk1880_gdma_store(bk, m.colours, colours, CTRL_NULL);
}

}  // namespace

bool run_on_device(bmctx_t ctx, const std::vector<uint8_t>& pixels,
                   const std::function<void(size_t)>& progress, ChainResult& result) {
  const size_t count = pixels.size() / kPixels;
  Weights weights = make_weights();
  result.features.resize(count * kFeatures * kPixels);
  result.colours.resize(count * kColours * kPixels);

  bmmem_device_t weight_mem = bmmem_device_alloc_raw(ctx, sizeof weights);
  bmmem_device_t grey_mem = bmmem_device_alloc_raw(ctx, pixels.size());
  bmmem_device_t feature_mem = bmmem_device_alloc_raw(ctx, result.features.size());
  bmmem_device_t colour_mem = bmmem_device_alloc_raw(ctx, result.colours.size());
  bm_memcpy_s2d(ctx, weight_mem, (uint8_t*)&weights);
  bm_memcpy_s2d(ctx, grey_mem, const_cast<uint8_t*>(pixels.data()));

  void* kernel = NULL;
  if (bmruntime_bmkernel_create(ctx, &kernel) != BM_SUCCESS) return false;
  bmk1880_context_t* bk = (bmk1880_context_t*)kernel;
  Maps maps = allocate(bk);
  load_weights(bk, maps, bmmem_device_addr(ctx, weight_mem));
  for (size_t first = 0; first + kBatch <= count; first += kBatch) {
    process_batch(bk, maps, bmmem_device_addr(ctx, grey_mem) + first * kPixels,
                  bmmem_device_addr(ctx, feature_mem) + first * kFeatures * kPixels,
                  bmmem_device_addr(ctx, colour_mem) + first * kColours * kPixels);
    // Local memory keeps its contents between submits.
    bmruntime_bmkernel_submit(ctx);
    progress(first + kBatch);
  }
  release(bk, maps);
  bmruntime_bmkernel_destroy(ctx);

  bool ok = bm_memcpy_d2s(ctx, result.features.data(), feature_mem) == BM_SUCCESS &&
            bm_memcpy_d2s(ctx, result.colours.data(), colour_mem) == BM_SUCCESS;
  bmmem_device_free(ctx, colour_mem);
  bmmem_device_free(ctx, feature_mem);
  bmmem_device_free(ctx, grey_mem);
  bmmem_device_free(ctx, weight_mem);
  return ok && tputwin_error_count() == 0;
}
