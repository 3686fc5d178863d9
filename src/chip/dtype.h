// Element types.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace tputwin {

// 16-bit values of the BM1880 are stored as two byte planes, see TensorView::plane_stride. b32: 32
// bits of any meaning. f16: IEEE half precision, bf16: the upper half of an fp32.
enum class DType : uint8_t { u8, i8, u16, i16, f32, b32, f16, bf16, u32, i32 };

constexpr bool is_signed(DType t) { return t == DType::i8 || t == DType::i16 || t == DType::i32; }
// Returns true for 16-bit integers, which may be stored as two byte planes.
constexpr bool is_16bit(DType t) { return t == DType::u16 || t == DType::i16; }
constexpr bool is_half(DType t) { return t == DType::f16 || t == DType::bf16; }
constexpr bool is_float(DType t) { return t == DType::f32 || is_half(t); }
constexpr bool is_32bit(DType t) {
  return t == DType::f32 || t == DType::b32 || t == DType::u32 || t == DType::i32;
}
constexpr uint32_t element_bytes(DType t) {
  return is_32bit(t) ? 4 : is_16bit(t) || is_half(t) ? 2 : 1;
}
constexpr DType make_dtype(bool is_signed, bool is_8bit) {
  return is_8bit ? (is_signed ? DType::i8 : DType::u8) : (is_signed ? DType::i16 : DType::u16);
}

// A set of element types.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  constexpr DTypeSet(std::initializer_list<DType> types) {
    for (DType type : types) bits_ |= bit(type);
  }
  constexpr bool has(DType type) const { return (bits_ & bit(type)) != 0; }

 private:
  static constexpr uint32_t bit(DType type) { return 1u << static_cast<unsigned>(type); }
  uint32_t bits_ = 0;
};

}  // namespace tputwin
