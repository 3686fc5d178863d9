// Memories of one device that instructions execute on, and element access for the reference
// kernels.
#pragma once

#include <cstdint>
#include <cstring>

#include "memory/global_memory.h"
#include "memory/local_memory.h"
#include "memory/tensor_view.h"

namespace tputwin {

struct Memory {
  LocalMemory& local;
  GlobalMemory& global;
  GlobalMemory* l2 = nullptr;  // nullptr if the chip has no such memory
  GlobalMemory* dtcm = nullptr;

  // Returns the system memory of a space other than local.
  GlobalMemory& system(Space space) const {
    return space == Space::global ? global : space == Space::l2 ? *l2 : *dtcm;
  }

  // Returns the address of the (low) byte of an element.
  uint8_t* byte(const TensorView& v, uint32_t n, uint32_t c, uint32_t h, uint32_t w) const {
    uint64_t inner = uint64_t{h} * v.stride.h + uint64_t{w} * v.stride.w;
    if (v.pack == 1) [[likely]]
      inner += uint64_t{n} * v.stride.n;
    else
      inner += uint64_t{n / v.pack} * v.stride.n + n % v.pack * element_bytes(v.dtype);
    if (v.space != Space::local)
      return system(v.space).data() + v.address + inner + uint64_t{c} * v.stride.c;
    uint64_t lane = v.address / local.lane_bytes() + c;
    return local.lane(lane % local.lanes()) + v.address % local.lane_bytes() + inner +
           lane / local.lanes() * v.stride.c;
  }

  // Returns an element, sign or zero extended. 16-bit values are joined from their planes; 32-bit
  // and floating-point values are returned as their bits.
  int32_t read(const TensorView& v, uint32_t n, uint32_t c, uint32_t h, uint32_t w) const {
    const uint8_t* p = byte(v, n, c, h, w);
    switch (v.dtype) {
      case DType::u8:
        return *p;
      case DType::i8:
        return static_cast<int8_t>(*p);
      case DType::u16:
        return *p | p[v.plane_stride] << 8;
      case DType::i16:
        return static_cast<int16_t>(*p | p[v.plane_stride] << 8);
      case DType::f16:
      case DType::bf16:
        return load<uint16_t>(p);
      case DType::f32:
      case DType::b32:
      case DType::u32:
      case DType::i32:
        return load<int32_t>(p);
    }
    return 0;
  }

  // Writes the low 8 or 16 bits of `value`, or all 32.
  void write(const TensorView& v, uint32_t n, uint32_t c, uint32_t h, uint32_t w,
             int32_t value) const {
    uint8_t* p = byte(v, n, c, h, w);
    if (is_32bit(v.dtype)) return store(p, value);
    if (is_half(v.dtype)) return store(p, static_cast<uint16_t>(value));
    *p = static_cast<uint8_t>(value);
    if (is_16bit(v.dtype)) p[v.plane_stride] = static_cast<uint8_t>(value >> 8);
  }

  // Access to fp32 elements.
  float read_f32(const TensorView& v, uint32_t n, uint32_t c, uint32_t h, uint32_t w) const {
    return load<float>(byte(v, n, c, h, w));
  }
  void write_f32(const TensorView& v, uint32_t n, uint32_t c, uint32_t h, uint32_t w,
                 float value) const {
    store(byte(v, n, c, h, w), value);
  }

  template <class T>
  static T load(const uint8_t* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
  }
  template <class T>
  static void store(uint8_t* p, T value) {
    std::memcpy(p, &value, sizeof value);
  }

  int32_t read(const MatrixView& m, uint32_t r, uint32_t c) const {
    return read(m.tensor, r, c / m.tensor.shape.w, 0, c % m.tensor.shape.w);
  }
  void write(const MatrixView& m, uint32_t r, uint32_t c, int32_t value) const {
    write(m.tensor, r, c / m.tensor.shape.w, 0, c % m.tensor.shape.w, value);
  }
};

}  // namespace tputwin
