#include "chain.h"

#include <algorithm>

// clang-format off
const int8_t kFeatureWeights[kFeatures][9] = {
    { 0,  1,  0,   1,  4,  1,   0,  1,  0},   // blur
    {-2,  0,  2,  -4,  0,  4,  -2,  0,  2},   // edge facing left
    { 2,  0, -2,   4,  0, -4,   2,  0, -2},   // edge facing right
    {-2, -4, -2,   0,  0,  0,   2,  4,  2},   // edge facing up
    { 2,  4,  2,   0,  0,  0,  -2, -4, -2},   // edge facing down
    {-2, -2, -2,  -2, 16, -2,  -2, -2, -2},   // detail
    {-8, -4,  0,  -4,  4,  4,   0,  4,  8},   // emboss
    { 0,  2,  4,  -2,  0,  2,  -4, -2,  0}};  // diagonal
const int16_t kFeatureBias[kFeatures] = {0, -64, -64, -64, -64, -64, 0, -64};
const int8_t kSmoothWeights[9] = {0, 1, 0,  1, 4, 1,  0, 1, 0};
const int8_t kUpscaleWeights[16] = {1, 3, 3, 1,  3, 9, 9, 3,  3, 9, 9, 3,  1, 3, 3, 1};
// Features:                          blur left right up  down detail emboss diagonal
const int8_t kMixWeights[kColours][kFeatures] = {{30, 48, -14,  6, -10, 10,  6,  6},   // red
                                                 {24, -8,  -6, 48, -14, 10,  4, 10},   // green
                                                 {30, -14, 52, -6,  30, 10, -4,  6}};  // blue
// clang-format on

namespace {

int round_shift(int value, int shift) { return (value + (1 << (shift - 1))) >> shift; }
int clamp(int value, int low, int high) { return std::min(high, std::max(low, value)); }

// A 28x28 plane of sums.
struct Sums {
  int at[kSide][kSide];
  explicit Sums(int start) { std::fill(&at[0][0], &at[0][0] + kPixels, start); }

  // Adds weight * (plane shifted by (dy,dx)); elements outside the plane are zero.
  template <class T>
  void add(const T* plane, int dy, int dx, int weight) {
    for (int y = std::max(0, -dy); y < std::min(kSide, kSide - dy); y++)
      for (int x = std::max(0, -dx); x < std::min(kSide, kSide - dx); x++)
        at[y][x] += weight * plane[(y + dy) * kSide + x + dx];
  }
  template <class T>
  void add_3x3(const T* plane, const int8_t* weights) {
    for (int k = 0; k < 9; k++) add(plane, k / 3 - 1, k % 3 - 1, weights[k]);
  }
  template <class T>
  void store(T* out, int shift, int low, int high) const {
    for (size_t i = 0; i < kPixels; i++)
      out[i] = (T)clamp(round_shift((&at[0][0])[i], shift), low, high);
  }
};

void pool(const int8_t* in, int8_t* out) {
  for (int y = 0; y < kPooled; y++)
    for (int x = 0; x < kPooled; x++) {
      const int8_t* p = in + 2 * y * kSide + 2 * x;
      out[y * kPooled + x] = std::max(std::max(p[0], p[1]), std::max(p[kSide], p[kSide + 1]));
    }
}

// Bilinear: weighs the nearest and second nearest source 3:1 along each axis.
void upscale(const int8_t* in, int8_t* out) {
  auto source = [&](int y, int x) {
    return y < 0 || x < 0 || y >= kPooled || x >= kPooled ? 0 : in[y * kPooled + x];
  };
  for (int y = 0; y < kSide; y++)
    for (int x = 0; x < kSide; x++) {
      int far_y = y / 2 + (y % 2 ? 1 : -1), far_x = x / 2 + (x % 2 ? 1 : -1);
      int sum = 9 * source(y / 2, x / 2) + 3 * source(y / 2, far_x) + 3 * source(far_y, x / 2) +
                source(far_y, far_x);
      out[y * kSide + x] = (int8_t)clamp(round_shift(sum, kUpscaleShift), -128, 127);
    }
}

void run_image(const uint8_t* grey, uint8_t* features, uint8_t* colours) {
  int8_t smooth[kPixels], pooled[kPooled * kPooled], large[kFeatures][kPixels];
  for (int f = 0; f < kFeatures; f++) {
    uint8_t* feature = features + (size_t)f * kPixels;
    Sums sums(kFeatureBias[f]);
    sums.add_3x3(grey, kFeatureWeights[f]);
    sums.store(feature, kFeatureShift, 0, 255);  // relu is the lower bound
    Sums smoothed(0);
    smoothed.add_3x3(feature, kSmoothWeights);
    smoothed.store(smooth, kSmoothShift, -128, 127);
    pool(smooth, pooled);
    upscale(pooled, large[f]);
  }
  for (int c = 0; c < kColours; c++) {
    Sums mixed(0);
    for (int f = 0; f < kFeatures; f++) mixed.add(large[f], 0, 0, kMixWeights[c][f]);
    mixed.store(colours + (size_t)c * kPixels, kMixShift, 0, 255);
  }
}

}  // namespace

ChainResult run_on_host(const std::vector<uint8_t>& pixels) {
  const size_t count = pixels.size() / kPixels;
  ChainResult result;
  result.features.resize(count * kFeatures * kPixels);
  result.colours.resize(count * kColours * kPixels);
  for (size_t i = 0; i < count; i++)
    run_image(&pixels[i * kPixels], &result.features[i * kFeatures * kPixels],
              &result.colours[i * kColours * kPixels]);
  return result;
}
