// Floats of 4 and 8 bits.
#pragma once

#include <bmnet/tputwin_onnx.pb.h>

#include <cstdint>

namespace tputwin::net::onnx_reader {

// True for types of float8 that have a sign and zero: others hold scales only.
inline bool is_signed_float8(int type) {
  return type >= onnx::TensorProto::FLOAT8E4M3FN && type <= onnx::TensorProto::FLOAT8E5M2FNUZ;
}
inline bool is_float8(int type) {
  return is_signed_float8(type) || type == onnx::TensorProto::FLOAT8E8M0;
}

// Returns the number that the bits of a float8 stand for, also of float8e8m0.
float of_float8(uint8_t bits, int type);
float of_float4(uint8_t bits);
float largest_of_float8(int type);
// Returns the nearest number of a float8, ties to even. Numbers beyond the largest become that if
// `saturates`, else infinity, or NaN in types without one.
float to_float8(float value, int type, bool saturates);

}  // namespace tputwin::net::onnx_reader
