#include "numerics/float32.h"

#include <algorithm>
#include <array>

namespace tputwin::f32 {
namespace {

constexpr int32_t kFirstExponent = -103;

// fp32(e^k), k = -103 .. 88, correctly rounded.
constexpr std::array<uint32_t, 192> kExp{
    0x00000001, 0x00000004, 0x0000000a, 0x0000001b, 0x00000048, 0x000000c4, 0x00000215, 0x000005a9,
    0x00000f64, 0x000029d6, 0x000071b9, 0x00013521, 0x0003484b, 0x0008ec28, 0x001840fc, 0x0041edc4,
    0x00b33687, 0x01739362, 0x022586e0, 0x02e0f96d, 0x0398e2cb, 0x044fcb22, 0x050d35d7, 0x05bfecba,
    0x06826d27, 0x07314490, 0x07f0ee94, 0x08a3baf0, 0x095e884f, 0x0a1739fb, 0x0acd89c1, 0x0b8bad78,
    0x0c3dd771, 0x0d0102bf, 0x0daf5800, 0x0e6e511e, 0x0f21f3fe, 0x0fdc1df9, 0x109595c7, 0x114b4ea4,
    0x120a295c, 0x12bbc7f1, 0x137f388b, 0x142d70c9, 0x14ebbaec, 0x15a031fc, 0x1659ba5a, 0x1713f623,
    0x17c919b9, 0x1888a975, 0x1939be2b, 0x19fc7361, 0x1aab8edc, 0x1b692beb, 0x1c1e74dd, 0x1cd75d5d,
    0x1d925b02, 0x1e46eaf1, 0x1f072dba, 0x1fb7ba0f, 0x2079b5ea, 0x2129b229, 0x21e6a405, 0x229cbc92,
    0x235506f2, 0x2410c457, 0x24c4c239, 0x2585b61d, 0x2635bb8d, 0x26f7000f, 0x27a7daa4, 0x28642328,
    0x291b090f, 0x29d2b706, 0x2a8f3216, 0x2b429f81, 0x2c044295, 0x2cb3c295, 0x2d7451bd, 0x2e26083c,
    0x2ee1a93f, 0x2f995a46, 0x30506d87, 0x310da433, 0x31c082b8, 0x3282d314, 0x3331cf19, 0x33f1aade,
    0x34a43ae5, 0x355f3638, 0x3617b02a, 0x36ce2a62, 0x378c1aa1, 0x383e6bce, 0x39016791, 0x39afe108,
    0x3a6f0b5d, 0x3b227290, 0x3bdcc9ff, 0x3c960aae, 0x3d4bed86, 0x3e0a9555, 0x3ebc5ab2, 0x3f800000,
    0x402df854, 0x40ec7326, 0x41a0af2e, 0x425a6481, 0x431469c5, 0x43c9b6e3, 0x44891443, 0x453a4f54,
    0x45fd38ac, 0x46ac14ee, 0x4769e224, 0x481ef0b3, 0x48d805ad, 0x4992cd62, 0x4a478665, 0x4b07975f,
    0x4bb849a4, 0x4c7a7910, 0x4d2a36c8, 0x4de75844, 0x4e9d3710, 0x4f55ad6e, 0x5011357a, 0x50c55bfe,
    0x51861e9d, 0x52364993, 0x52f7c118, 0x53a85dd2, 0x5464d572, 0x551b8238, 0x55d35bb3, 0x568fa1fe,
    0x5743379a, 0x5804a9f1, 0x58b44f11, 0x597510ad, 0x5a2689fe, 0x5ae2599a, 0x5b99d21f, 0x5c51106a,
    0x5d0e12e4, 0x5dc1192b, 0x5e833952, 0x5f325a0e, 0x5ff267bb, 0x60a4bb3e, 0x615fe4a9, 0x621826b5,
    0x62cecb81, 0x638c881f, 0x643f009e, 0x6501ccb3, 0x65b06a7b, 0x666fc62d, 0x6722f184, 0x67dd768b,
    0x68967ff0, 0x694c8ce5, 0x6a0b01a3, 0x6abcede5, 0x6b806408, 0x6c2e804a, 0x6ced2bef, 0x6da12cc1,
    0x6e5b0f2e, 0x6f14ddc1, 0x6fca5487, 0x70897f64, 0x713ae0ee, 0x71fdfe91, 0x72ac9b6a, 0x736a98ec,
    0x741f6ce9, 0x74d8ae7f, 0x7593401c, 0x76482254, 0x77080156, 0x77b8d9aa, 0x787b3ccf, 0x792abbce,
    0x79e80d11, 0x7a9db1ed, 0x7b56546b, 0x7c11a6f5, 0x7cc5f63b, 0x7d86876d, 0x7e36d809, 0x7ef882b7,
};

constexpr std::array<float, kMaxTerms + 1> kCoefficients = [] {
  std::array<float, kMaxTerms + 1> c{1.0f};
  for (uint32_t k = 1; k <= kMaxTerms; ++k) c[k] = ftz(c[k - 1] / static_cast<float>(k));
  return c;
}();

// c[n] * x^(n - last) + ... + c[last], by Horner's rule.
float horner(float x, uint32_t terms, uint32_t last) {
  terms = std::min(terms, kMaxTerms);
  float sum = kCoefficients[terms];
  for (uint32_t k = terms; k-- > last;) sum = add(mul(sum, x), kCoefficients[k]);
  return sum;
}

// The square of 1/sqrt(|b|).
float inverse_magnitude(float b) {
  const float r = rsqrt(from_bits(bits(b) & ~kSignBit));
  return mul(r, r);
}

}  // namespace

float rsqrt(float x) {
  // An arithmetic shift, then a difference modulo 2^32.
  float y = from_bits(0x5f37'59dfu - static_cast<uint32_t>(static_cast<int32_t>(bits(x)) >> 1));
  const float h = mul(x, 0.5f);
  for (int i = 0; i < 3; ++i) y = mul(y, sub(1.5f, mul(mul(h, y), y)));
  return y;
}

float div(float a, float b) {
  return mul(inverse_magnitude(b), from_bits(bits(a) ^ (bits(b) & kSignBit)));
}

int32_t to_int32(float x) {
  if ((bits(x) & ~kSignBit) >= 0x4f00'0000) return bits(x) & kSignBit ? INT32_MIN : INT32_MAX;
  return static_cast<int32_t>(x);
}

float lookup_exp(int32_t i) {
  const int32_t index = static_cast<int8_t>(i) - kFirstExponent;
  return index < 0 || index >= static_cast<int32_t>(kExp.size())
             ? 0.0f
             : from_bits(kExp[static_cast<size_t>(index)]);
}

float exp_coefficient(uint32_t k) { return kCoefficients[k]; }

float taylor_exp(float x, uint32_t terms) { return horner(x, terms, 0); }

float taylor_exp_minus_1(float x, uint32_t terms) { return mul(horner(x, terms, 1), x); }

WithWork exp(float x, uint32_t terms) {
  const int32_t k = to_int32(x);
  const float scale = lookup_exp(k);
  const float w = taylor_exp_minus_1(sub(x, static_cast<float>(k)), terms);
  return {add(mul(w, scale), scale), w};
}

WithWork sigmoid(float x, uint32_t terms) {
  const float w = add(1.0f, exp(neg(x), terms).result);
  return {reciprocal(w), w};
}

WithWork tanh(float x, uint32_t terms) {
  const float e = exp(x, terms).result, inverse = reciprocal(e);
  const float w = mul(inverse, reciprocal(add(e, inverse)));
  return {sub(1.0f, mul(2.0f, w)), w};
}

}  // namespace tputwin::f32
