// Calls functions of each signature with a case.
#pragma once

#include <type_traits>

#include "okkernel/suite.h"

namespace tputwin::okktest {

using Local = local_addr_t;
using Shape4 = const dim4*;
using Call = std::function<void(const Case&)>;

inline Local at(const Case& c, int i) { return static_cast<Local>(c.address(i)); }

// Returns the constant in the type that a function takes.
template <class T>
T constant(const Case& c) {
  if constexpr (std::is_same_v<T, x32>)
    return c.k.c;
  else if constexpr (std::is_same_v<T, float>)
    return c.k.c.fp32;
  else
    return static_cast<T>(c.k.c.s32);
}

inline Call call(void (*f)(Local, Local, Local, Shape4, Shape4, Shape4, Shape4)) {
  return [f](const Case& c) {
    f(at(c, 0), at(c, 1), at(c, 2), &c.shape, c.strides(0), c.strides(1), c.strides(2));
  };
}
inline Call call(void (*f)(Local, Local, Shape4, Shape4, Shape4)) {
  return [f](const Case& c) { f(at(c, 0), at(c, 1), &c.shape, c.strides(0), c.strides(1)); };
}
template <class T>
Call call(void (*f)(Local, Local, T, Shape4, Shape4, Shape4)) {
  return [f](const Case& c) {
    f(at(c, 0), at(c, 1), constant<T>(c), &c.shape, c.strides(0), c.strides(1));
  };
}
inline Call call(void (*f)(Local, x32, Shape4, Shape4)) {
  return [f](const Case& c) { f(at(c, 0), c.k.c, &c.shape, c.strides(0)); };
}
// Functions on the 128-byte aligned layout, with a number of series and a work tensor, or without.
inline Call call(void (*f)(Local, Local, Shape4)) {
  return [f](const Case& c) { f(at(c, 0), at(c, 1), &c.shape); };
}
inline Call call(void (*f)(Local, Local, Shape4, int)) {
  return [f](const Case& c) { f(at(c, 0), at(c, 1), &c.shape, c.k.series); };
}
inline Call call(void (*f)(Local, Local, Local, Shape4)) {
  return [f](const Case& c) { f(at(c, 0), at(c, 1), at(c, 2), &c.shape); };
}
inline Call call(void (*f)(Local, Local, Local, Shape4, int)) {
  return [f](const Case& c) { f(at(c, 0), at(c, 1), at(c, 2), &c.shape, c.k.series); };
}
// Functions that compare and select a value.
inline Call call(void (*f)(Local, Local, Local, x32, Shape4, Shape4, Shape4, Shape4)) {
  return [f](const Case& c) {
    f(at(c, 0), at(c, 1), at(c, 2), c.k.select, &c.shape, c.strides(0), c.strides(1), c.strides(2));
  };
}
inline Call call(void (*f)(Local, Local, float, x32, Shape4, Shape4, Shape4)) {
  return [f](const Case& c) {
    f(at(c, 0), at(c, 1), c.k.c.fp32, c.k.select, &c.shape, c.strides(0), c.strides(1));
  };
}
// Fixed point functions.
inline Call call(void (*f)(Local, Local, Local, Shape4, Shape4, Shape4, Shape4, op_type_t, int)) {
  return [f](const Case& c) {
    f(at(c, 0), at(c, 1), at(c, 2), &c.shape, c.strides(0), c.strides(1), c.strides(2), c.k.op_type,
      c.k.rshift);
  };
}
inline Call call(void (*f)(Local, Local, int, Shape4, Shape4, Shape4, op_type_t, int)) {
  return [f](const Case& c) {
    f(at(c, 0), at(c, 1), c.k.c.s32, &c.shape, c.strides(0), c.strides(1), c.k.op_type, c.k.rshift);
  };
}
inline Call call(void (*f)(Local, Local, Local, Shape4, Shape4, Shape4, Shape4, bool, op_type_t,
                           int, int)) {
  return [f](const Case& c) {
    f(at(c, 0), at(c, 1), at(c, 2), &c.shape, c.strides(0), c.strides(1), c.strides(2), c.k.flag,
      c.k.op_type, c.k.lshift, c.k.rshift);
  };
}
inline Call call(void (*f)(Local, Local, int, Shape4, Shape4, Shape4, bool, op_type_t, int, int)) {
  return [f](const Case& c) {
    f(at(c, 0), at(c, 1), c.k.c.s32, &c.shape, c.strides(0), c.strides(1), c.k.flag, c.k.op_type,
      c.k.lshift, c.k.rshift);
  };
}
inline Call call(void (*f)(Local, Local, Local, Shape4, Shape4, Shape4, Shape4, op_type_t)) {
  return [f](const Case& c) {
    f(at(c, 0), at(c, 1), at(c, 2), &c.shape, c.strides(0), c.strides(1), c.strides(2),
      c.k.op_type);
  };
}
inline Call call(void (*f)(Local, Local, int, Shape4, Shape4, Shape4, op_type_t)) {
  return [f](const Case& c) {
    f(at(c, 0), at(c, 1), c.k.c.s32, &c.shape, c.strides(0), c.strides(1), c.k.op_type);
  };
}

}  // namespace tputwin::okktest
