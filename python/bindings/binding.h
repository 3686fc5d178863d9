// Shared by the files of the binding: conversion of errors to exceptions and of arrays.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "chip/chip.h"
#include "tools/bm168x/npy.h"

namespace tputwin::python {

namespace py = pybind11;

// An error to throw into Python, where it is a tputwin.Error.
struct Failure {
  Error error;
};

inline void check(Status status) {
  if (!status.ok()) throw Failure{std::move(status.error())};
}

template <class T>
T value(Result<T> result) {
  if (!result.ok()) throw Failure{result.error()};
  return std::move(result.value());
}

// Returns the chip of a name such as "BM1684X".
const Chip& chip_named(const std::string& name);

// Copies the bytes of any contiguous buffer of numbers.
tools::Array array_of(const py::buffer& buffer);
// Returns the bytes of a contiguous buffer, valid as long as `info` lives.
std::span<uint8_t> bytes_of(const py::buffer_info& info);

// Each function adds the bindings of its file.
void bind_errors(py::module_& module);
void bind_arrays(py::module_& module);
void bind_models(py::module_& module);
void bind_nets(py::module_& module);
void bind_kernels(py::module_& module);
void bind_compiler(py::module_& module);
void bind_campaigns(py::module_& module);
void bind_pictures(py::module_& module);

// Long calls release Python's lock (the GIL).
using Unlocked = py::call_guard<py::gil_scoped_release>;

}  // namespace tputwin::python
