// Arrays between numpy and tputwin, by Python's buffers.
#include <cstring>

#include "bindings/binding.h"

namespace tputwin::python {
namespace {

struct Format {
  char kind;
  uint32_t bytes;
  const char* letter;  // letter of the Python module struct
};
constexpr Format kFormats[] = {{'f', 2, "e"}, {'f', 4, "f"}, {'f', 8, "d"}, {'i', 1, "b"},
                               {'i', 2, "h"}, {'i', 4, "i"}, {'i', 8, "q"}, {'u', 1, "B"},
                               {'u', 2, "H"}, {'u', 4, "I"}, {'u', 8, "Q"}};

char kind_of(const py::buffer_info& info) {
  if (info.format == "l") return 'i';
  if (info.format == "L") return 'u';
  if (info.format == "?") return 'u';
  for (const Format& format : kFormats)
    if (info.format == format.letter) return format.kind;
  throw py::type_error("elements of type \"" + info.format + "\" are no numbers of tputwin");
}

void check_contiguous(const py::buffer_info& info) {
  py::ssize_t stride = info.itemsize;
  for (size_t axis = info.shape.size(); axis-- > 0;) {
    if (info.shape[axis] != 1 && info.size != 0 && info.strides[axis] != stride)
      throw py::value_error("the array is not C-contiguous");
    stride *= info.shape[axis];
  }
}

py::buffer_info buffer_of(tools::Array& array) {
  std::vector<py::ssize_t> shape(array.shape.begin(), array.shape.end()), strides(shape.size());
  py::ssize_t stride = array.element_bytes;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) strides[axis] = stride;
  for (const Format& format : kFormats)
    if (format.kind == array.kind && format.bytes == array.element_bytes)
      return {array.bytes.data(),
              array.element_bytes,
              format.letter,
              static_cast<py::ssize_t>(shape.size()),
              shape,
              strides};
  throw py::type_error("numpy has no such elements");
}

}  // namespace

std::span<uint8_t> bytes_of(const py::buffer_info& info) {
  check_contiguous(info);
  return {static_cast<uint8_t*>(info.ptr), static_cast<size_t>(info.size * info.itemsize)};
}

tools::Array array_of(const py::buffer& buffer) {
  const py::buffer_info info = buffer.request();
  const auto bytes = bytes_of(info);
  return {kind_of(info),
          static_cast<uint32_t>(info.itemsize),
          {info.shape.begin(), info.shape.end()},
          {bytes.begin(), bytes.end()}};
}

void bind_arrays(py::module_& module) {
  py::class_<tools::Array>(module, "Array", py::buffer_protocol()).def_buffer(&buffer_of);
}

}  // namespace tputwin::python
