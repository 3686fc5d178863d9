// The C++ interface, built on the C interface.
#include <bmruntime_cpp.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/errors/bmrt.h"
#include "sdk/bmlib/range.h"
#include "sdk/bmrt/api.h"

namespace bmruntime {

using tputwin::Error;
using tputwin::Status;
namespace bmlib = tputwin::bmlib;
namespace bmrt = tputwin::bmrt;
namespace errors = tputwin::errors;

size_t ByteSize(bm_data_type_t type) { return bmrt_data_type_size(type); }
size_t ByteSize(const bm_device_mem_t& mem) { return mem.size; }
size_t ByteSize(const bm_tensor_t& tensor) { return bmrt_tensor_bytesize(&tensor); }
size_t ByteSize(const Tensor& tensor) { return tensor.ByteSize(); }
uint64_t Count(const bm_shape_t& shape) { return bmrt_shape_count(&shape); }
uint64_t Count(const bm_tensor_t& tensor) { return bmrt_shape_count(&tensor.shape); }
uint64_t Count(const Tensor& tensor) { return tensor.num_elements(); }
bool IsSameShape(const bm_shape_t& left, const bm_shape_t& right) {
  return bmrt_shape_is_same(&left, &right);
}

// ---- Context ----

namespace {

bm_status_t status_of(bool succeeded) { return succeeded ? BM_SUCCESS : BM_ERR_FAILURE; }

}  // namespace

Context::Context(int devid) : own_handle_(bm_dev_request(&handle_, devid) == BM_SUCCESS) {
  if (own_handle_) runtime_ = bmrt_create(handle_);
}

Context::Context(bm_handle_t handle) : handle_(handle), runtime_(bmrt_create(handle)) {}

Context::~Context() {
  bmrt_destroy(runtime_);
  if (own_handle_) bm_dev_free(handle_);
}

bm_status_t Context::load_bmodel(const void* bmodel_data, size_t size) {
  return status_of(bmrt_load_bmodel_data(runtime_, bmodel_data, size));
}

bm_status_t Context::load_bmodel(const char* bmodel_file) {
  return status_of(bmrt_load_bmodel(runtime_, bmodel_file));
}

int Context::get_network_number() const { return bmrt_get_network_number(runtime_); }

void Context::get_network_names(std::vector<const char*>* names) const {
  bmrt::on_runtime("Context::get_network_names", runtime_, [&](bmrt::Runtime& runtime) -> Status {
    TW_RETURN_IF_ERROR(bmrt::check_pointer(names, "names"));
    names->clear();
    for (const auto& net : runtime.nets()) names->push_back(net->info().name);
    return {};
  });
}

const bm_net_info_t* Context::get_network_info(const char* net_name) const {
  return bmrt_get_network_info(runtime_, net_name);
}

void Context::trace() const { bmrt_trace(runtime_); }

// ---- Tensor ----

Tensor::~Tensor() {
  if (own_memory_) bm_free_device(handle_, tensor_.device_mem);
}

bm_status_t Tensor::copy_range(size_t size, uint64_t offset, const char* call) const {
  return bmlib::with_code(call, [&]() -> Status {
    if (offset <= ByteSize() && size <= ByteSize() - offset) return {};
    return Error(errors::brt_copy)
        .argument("size", fmt::format("[{}, +{}) of {} bytes", offset, size, ByteSize()));
  });
}

bm_status_t Tensor::CopyTo(void* data) const { return CopyTo(data, ByteSize()); }

bm_status_t Tensor::CopyTo(void* data, size_t size, uint64_t offset) const {
  if (bm_status_t status = copy_range(size, offset, "Tensor::CopyTo"); status != BM_SUCCESS)
    return status;
  return bm_memcpy_d2s_partial_offset(handle_, data, tensor_.device_mem,
                                      static_cast<unsigned>(size), static_cast<unsigned>(offset));
}

bm_status_t Tensor::CopyFrom(const void* data) { return CopyFrom(data, ByteSize()); }

bm_status_t Tensor::CopyFrom(const void* data, size_t size, uint64_t offset) {
  if (bm_status_t status = copy_range(size, offset, "Tensor::CopyFrom"); status != BM_SUCCESS)
    return status;
  return bm_memcpy_s2d_partial_offset(handle_, tensor_.device_mem, const_cast<void*>(data),
                                      static_cast<unsigned>(size), static_cast<unsigned>(offset));
}

bm_status_t Tensor::Reshape(const bm_shape_t& shape) {
  return bmlib::with_code("Tensor::Reshape", [&]() -> Status {
    if (!may_reshape_)
      return Error(errors::brt_fixed_shape).argument("shape", bmrt::describe(shape));
    TW_RETURN_IF_ERROR(bmrt::check_shape(shape, "shape"));
    bm_tensor_t reshaped = tensor_;
    reshaped.shape = shape;
    if (bmrt_tensor_bytesize(&reshaped) > tensor_.device_mem.size)
      return Error(errors::brt_memory)
          .argument("shape", bmrt::describe(shape))
          .detail(fmt::format("the memory has {} bytes", tensor_.device_mem.size));
    tensor_ = reshaped;
    has_shape_ = true;
    return {};
  });
}

size_t Tensor::ByteSize() const { return bmrt_tensor_bytesize(&tensor_); }

uint64_t Tensor::num_elements() const { return bmrt_shape_count(&tensor_.shape); }

void Tensor::set_store_mode(bm_store_mode_t mode) const { tensor_.st_mode = mode; }

bm_status_t Tensor::set_device_mem(const bm_device_mem_t& mem) {
  return bmlib::with_code("Tensor::set_device_mem", [&]() -> Status {
    if (mem.size < ByteSize())
      return Error(errors::brt_memory)
          .argument("mem", fmt::format("{} bytes", mem.size))
          .detail(fmt::format("the tensor has {} bytes", ByteSize()));
    if (own_memory_) bm_free_device(handle_, tensor_.device_mem);
    own_memory_ = false;
    tensor_.device_mem = mem;
    return {};
  });
}

// ---- Network ----

Network::Network(const Context& context, const char* net_name, int stage_id)
    : runtime_(context.runtime_), handle_(context.handle_) {
  const bm_net_info_t* info = bmrt_get_network_info(runtime_, net_name);
  if (info == nullptr) return;
  const bool known = bmrt::succeeds("Network::Network", [&]() -> Status {
    if (-1 <= stage_id && stage_id < info->stage_num) return {};
    return Error(errors::brt_stage).argument("stage_id", fmt::format("{}", stage_id));
  });
  if (!known) return;
  info_ = info;
  add_tensors(/*of_input=*/true, stage_id);
  add_tensors(/*of_input=*/false, stage_id);
}

Network::~Network() { bm_thread_sync(handle_); }

// Adds tensors with memory for the largest stage. Without a stage they have the shapes of the first
// stage at first.
void Network::add_tensors(bool of_input, int stage_id) {
  const bm_stage_info_t& stage = info_->stages[std::max(stage_id, 0)];
  const int count = of_input ? info_->input_num : info_->output_num;
  for (int i = 0; i < count; ++i) {
    std::unique_ptr<Tensor, Tensor::Delete> tensor(new Tensor);
    tensor->handle_ = handle_;
    tensor->tensor_ = {.dtype = (of_input ? info_->input_dtypes : info_->output_dtypes)[i],
                       .shape = (of_input ? stage.input_shapes : stage.output_shapes)[i],
                       .device_mem = {},
                       .st_mode = BM_STORE_1N};
    tensor->may_reshape_ = of_input && stage_id == -1;
    tensor->has_shape_ = !tensor->may_reshape_;
    const auto bytes = (of_input ? info_->max_input_bytes : info_->max_output_bytes)[i];
    tensor->own_memory_ = bm_malloc_device_byte(handle_, &tensor->tensor_.device_mem,
                                                static_cast<unsigned>(bytes)) == BM_SUCCESS;
    (of_input ? inputs_ : outputs_).push_back(tensor.get());
    owned_.push_back(std::move(tensor));
  }
}

bm_status_t Network::Forward(bool sync) const {
  std::vector<bm_tensor_t> inputs, outputs;
  const bool launched = bmrt::succeeds("Network::Forward", [&]() -> Status {
    TW_RETURN_IF_ERROR(bmrt::check_pointer(info_, "info"));
    for (const Tensor* tensor : inputs_) {
      if (!tensor->has_shape_)
        return Error(errors::brt_fixed_shape)
            .argument("input", info_->input_names[inputs.size()])
            .detail("it was not reshaped");
      inputs.push_back(tensor->tensor_);
    }
    for (const Tensor* tensor : outputs_) outputs.push_back(tensor->tensor_);
    TW_ASSIGN_OR_RETURN(runtime, bmrt::find_runtime(runtime_));
    return launch(*runtime, bmrt::TensorLaunch{info_->name, inputs.data(), info_->input_num,
                                               outputs.data(), info_->output_num, true, true});
  });
  if (!launched) return BM_ERR_FAILURE;
  for (size_t i = 0; i < outputs.size(); ++i) outputs_[i]->tensor_ = outputs[i];
  return sync ? bm_thread_sync(handle_) : BM_SUCCESS;
}

namespace {

Tensor* find(const std::vector<Tensor*>& tensors, const char* const* names, const char* name) {
  for (size_t i = 0; name != nullptr && i < tensors.size(); ++i)
    if (std::strcmp(names[i], name) == 0) return tensors[i];
  return nullptr;
}

}  // namespace

Tensor* Network::Input(const char* name) {
  return info_ != nullptr ? find(inputs_, info_->input_names, name) : nullptr;
}

Tensor* Network::Output(const char* name) {
  return info_ != nullptr ? find(outputs_, info_->output_names, name) : nullptr;
}

}  // namespace bmruntime
