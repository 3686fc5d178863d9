// Shapes, tensors, and copies on several devices.
#include <fmt/format.h>

#include <cstring>

#include "base/errors/bmrt.h"
#include "sdk/bmlib/range.h"
#include "sdk/bmrt/api.h"

namespace tputwin::bmrt {

Result<bm_tensor_t> allocate_tensor(Runtime& runtime, size_t device, bm_data_type_t dtype,
                                    const bm_shape_t& shape) {
  TW_RETURN_IF_ERROR(check_type(dtype));
  TW_RETURN_IF_ERROR(check_shape(shape, "shape"));
  if (device >= runtime.devices())
    return Error(errors::brt_devices).argument("devid", fmt::format("{}", device));
  bm_tensor_t tensor{.dtype = dtype, .shape = shape, .device_mem = {}, .st_mode = BM_STORE_1N};
  const uint64_t bytes = user_bytes(runtime.card().chip(), dtype, shape);
  TW_RETURN_IF_ERROR(
      bmlib::allocate(runtime.handle(device), &tensor.device_mem, static_cast<int64_t>(bytes)));
  return tensor;
}

namespace {

bool make_tensor(std::string_view call, bm_tensor_t* tensor, void* p_bmrt, int device,
                 bm_data_type_t dtype, const bm_shape_t& shape) {
  return on_runtime(call, p_bmrt, [&](Runtime& runtime) -> Status {
    TW_RETURN_IF_ERROR(check_pointer(tensor, "tensor"));
    TW_ASSIGN_OR_RETURN(made, allocate_tensor(runtime, static_cast<size_t>(device), dtype, shape));
    *tensor = made;
    return {};
  });
}

uint64_t element_size(bm_data_type_t dtype) {
  return (element_bits(static_cast<bmodel::bm168x::ElementType>(dtype)) + 7) / 8;
}

uint64_t bytes_of(const bm_tensor_t& tensor) {
  const auto type = static_cast<bmodel::bm168x::ElementType>(tensor.dtype);
  return (count(tensor.shape) * element_bits(type) + 7) / 8;
}

// Calls function(bm_handle_t, size_t index), which returns a Status, for each tensor with its
// device.
template <class Function>
bool on_devices(std::string_view call, void* p_bmrt, const int* tensor_num, int device_num,
                std::initializer_list<const void*> arrays, Function function) {
  return on_runtime(call, p_bmrt, [&](Runtime& runtime) -> Status {
    TW_RETURN_IF_ERROR(check_pointer(tensor_num, "tensor_num"));
    for (const void* array : arrays) TW_RETURN_IF_ERROR(check_pointer(array, "an array"));
    if (device_num < 1 || static_cast<size_t>(device_num) > runtime.devices())
      return Error(errors::brt_devices).argument("device_num", fmt::format("{}", device_num));
    size_t index = 0;
    for (int device = 0; device < device_num; ++device)
      for (int i = 0; i < tensor_num[device]; ++i)
        TW_RETURN_IF_ERROR(function(runtime.handle(static_cast<size_t>(device)), index++));
    return {};
  });
}

// Returns a part of a tensor's memory.
bm_device_mem_t part(const bm_tensor_t& tensor, size_t offset) {
  bm_device_mem_t mem = tensor.device_mem;
  mem.u.device.device_addr += offset;
  mem.size -= static_cast<unsigned>(std::min<size_t>(offset, mem.size));
  return mem;
}

Status copy_strided(std::string_view call, bm_handle_t handle, const bm_tensor_t& to,
                    size_t to_offset, const bm_shape_t& to_strides, const bm_tensor_t& from,
                    size_t from_offset, const bm_shape_t& from_strides, const bm_shape_t& shape) {
  TW_RETURN_IF_ERROR(check_type(to.dtype));
  TW_RETURN_IF_ERROR(check_shape(shape, "shapes"));
  if (to_strides.num_dims != shape.num_dims || from_strides.num_dims != shape.num_dims)
    return Error(errors::brt_shape)
        .argument("strides", fmt::format("{} and {} for {} extents", to_strides.num_dims,
                                         from_strides.num_dims, shape.num_dims));
  for (int i = 0; i < shape.num_dims; ++i)
    if (to_strides.dims[i] < 0 || from_strides.dims[i] < 0)
      return Error(errors::brt_shape).argument("strides", "a negative one");
  const uint64_t bytes = element_size(to.dtype), elements = count(shape);
  auto place = [&](const bm_shape_t& strides, uint64_t index) {
    uint64_t at = 0;
    for (int i = shape.num_dims; i-- > 0; index /= static_cast<uint64_t>(shape.dims[i]))
      at += index % static_cast<uint64_t>(shape.dims[i]) * static_cast<uint64_t>(strides.dims[i]);
    return at * bytes;
  };
  TW_ASSIGN_OR_RETURN(card, bmlib::find_card(handle));
  const uint64_t to_bytes = place(to_strides, elements - 1) + bytes,
                 from_bytes = place(from_strides, elements - 1) + bytes;
  return card->exclusively([&]() -> Status {
    TW_ASSIGN_OR_RETURN(target,
                        bmlib::range(call, *card, "dst_tensors", part(to, to_offset), 0, to_bytes));
    TW_ASSIGN_OR_RETURN(
        source, bmlib::range(call, *card, "src_tensors", part(from, from_offset), 0, from_bytes));
    uint8_t* const out = target.for_writing(*card);
    for (uint64_t i = 0; i < elements; ++i)
      std::memmove(out + place(to_strides, i), source.host(*card) + place(from_strides, i), bytes);
    return {};
  });
}

}  // namespace
}  // namespace tputwin::bmrt

using namespace tputwin;
using namespace tputwin::bmrt;

size_t bmrt_data_type_size(bm_data_type_t dtype) {
  return succeeds(__func__, [&] { return check_type(dtype); }) ? element_size(dtype) : 0;
}

void bmrt_shape(bm_shape_t* shape, const int* dims, int num_dims) {
  succeeds(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(check_pointer(shape, "shape"));
    bm_shape_t made{.num_dims = num_dims, .dims = {}};
    if (num_dims > 0) TW_RETURN_IF_ERROR(check_pointer(dims, "dims"));
    if (0 < num_dims && num_dims <= BM_MAX_DIMS_NUM) std::copy(dims, dims + num_dims, made.dims);
    TW_RETURN_IF_ERROR(check_shape(made, "dims"));
    *shape = made;
    return {};
  });
}

uint64_t bmrt_shape_count(const bm_shape_t* shape) {
  const bool valid = succeeds(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(check_pointer(shape, "shape"));
    return check_shape(*shape, "shape");
  });
  return valid ? count(*shape) : 0;
}

bool bmrt_shape_is_same(const bm_shape_t* left, const bm_shape_t* right) {
  const bool valid = succeeds(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(check_pointer(left, "left"));
    return check_pointer(right, "right");
  });
  return valid && same(*left, *right);
}

bool bmrt_tensor(bm_tensor_t* tensor, void* p_bmrt, bm_data_type_t dtype, bm_shape_t shape) {
  return make_tensor(__func__, tensor, p_bmrt, 0, dtype, shape);
}

bool bmrt_tensor_ex(bm_tensor_t* tensor, void* p_bmrt, int devid, bm_data_type_t dtype,
                    bm_shape_t shape) {
  return make_tensor(__func__, tensor, p_bmrt, devid, dtype, shape);
}

void bmrt_tensor_with_device(bm_tensor_t* tensor, bm_device_mem_t device_mem, bm_data_type_t dtype,
                             bm_shape_t shape) {
  succeeds(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(check_pointer(tensor, "tensor"));
    TW_RETURN_IF_ERROR(check_type(dtype));
    TW_RETURN_IF_ERROR(check_shape(shape, "shape"));
    const bm_tensor_t made{dtype, shape, device_mem, BM_STORE_1N};
    if (device_mem.size < bytes_of(made))
      return Error(errors::brt_memory)
          .argument("device_mem", fmt::format("{} bytes", device_mem.size))
          .detail(fmt::format("the tensor has {} bytes", bytes_of(made)));
    *tensor = made;
    return {};
  });
}

size_t bmrt_tensor_bytesize(const bm_tensor_t* tensor) {
  const bool valid = succeeds(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(check_pointer(tensor, "tensor"));
    TW_RETURN_IF_ERROR(check_type(tensor->dtype));
    return check_shape(tensor->shape, "shape");
  });
  return valid ? bytes_of(*tensor) : 0;
}

size_t bmrt_tensor_device_size(const bm_tensor_t* tensor) {
  const bool valid = succeeds(__func__, [&] { return check_pointer(tensor, "tensor"); });
  return valid ? tensor->device_mem.size : 0;
}

bool bmrt_memcpy_s2d_parallel(void* p_bmrt, bm_tensor_t tensors[], void* datas[], int tensor_num[],
                              int device_num) {
  return on_devices(__func__, p_bmrt, tensor_num, device_num, {tensors, datas},
                    [&, call = __func__](bm_handle_t handle, size_t i) {
                      return bmlib::copy_in(call, handle, tensors[i].device_mem, datas[i], 0,
                                            bmrt_tensor_bytesize(&tensors[i]));
                    });
}

bool bmrt_memcpy_d2s_parallel(void* p_bmrt, void* datas[], bm_tensor_t tensors[], int tensor_num[],
                              int device_num) {
  return on_devices(__func__, p_bmrt, tensor_num, device_num, {tensors, datas},
                    [&, call = __func__](bm_handle_t handle, size_t i) {
                      return bmlib::copy_out(call, handle, tensors[i].device_mem, datas[i], 0,
                                             bmrt_tensor_bytesize(&tensors[i]));
                    });
}

bool bmrt_memcpy_d2d_byte_parallel(void* p_bmrt, bm_tensor_t dst_tensors[], size_t dst_offsets[],
                                   bm_tensor_t src_tensors[], size_t src_offsets[], size_t sizes[],
                                   int tensor_num[], int device_num) {
  return on_devices(__func__, p_bmrt, tensor_num, device_num,
                    {dst_tensors, dst_offsets, src_tensors, src_offsets, sizes},
                    [&, call = __func__](bm_handle_t handle, size_t i) {
                      const bm_shape_t bytes{1, {static_cast<int>(sizes[i])}}, steps{1, {1}};
                      bm_tensor_t to = dst_tensors[i];
                      to.dtype = BM_UINT8;
                      return copy_strided(call, handle, to, dst_offsets[i], steps, src_tensors[i],
                                          src_offsets[i], steps, bytes);
                    });
}

bool bmrt_memcpy_d2d_stride_ex_parallel(void* p_bmrt, bm_tensor_t dst_tensors[],
                                        size_t dst_offsets[], bm_shape_t dst_strides[],
                                        bm_tensor_t src_tensors[], size_t src_offsets[],
                                        bm_shape_t src_strides[], bm_shape_t shapes[],
                                        int tensor_num[], int device_num) {
  return on_devices(
      __func__, p_bmrt, tensor_num, device_num,
      {dst_tensors, dst_offsets, dst_strides, src_tensors, src_offsets, src_strides, shapes},
      [&, call = __func__](bm_handle_t handle, size_t i) {
        return copy_strided(call, handle, dst_tensors[i], dst_offsets[i], dst_strides[i],
                            src_tensors[i], src_offsets[i], src_strides[i], shapes[i]);
      });
}
