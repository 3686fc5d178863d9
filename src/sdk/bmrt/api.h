// The boundary of the C API: runtimes by handle, and errors as false.
#pragma once

#include <bmruntime_interface.h>

#include <memory>
#include <string_view>

#include "sdk/bmrt/runtime.h"

namespace tputwin::bmrt {

// Handles p_bmrt and their runtimes.
void* add_runtime(std::shared_ptr<Runtime> runtime);
Result<std::shared_ptr<Runtime>> find_runtime(void* p_bmrt);
Result<std::shared_ptr<Runtime>> remove_runtime(void* p_bmrt);

Status check_pointer(const void* pointer, std::string_view argument);

// Calls function, which returns a Status, and returns true if it succeeded.
template <class Function>
bool succeeds(std::string_view call, Function function) {
  return bmlib::with_code(call, function) == BM_SUCCESS;
}

// Calls function, which returns a Status, with the Runtime of a handle.
template <class Function>
bool on_runtime(std::string_view call, void* p_bmrt, Function function) {
  return succeeds(call, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(runtime, find_runtime(p_bmrt));
    return function(*runtime);
  });
}

// Launches with the tensors of a user.
struct TensorLaunch {
  const char* net_name;
  const bm_tensor_t* inputs;
  int input_num;
  bm_tensor_t* outputs;
  int output_num;
  bool user_mem, user_stmode;
};
Status launch(Runtime& runtime, const TensorLaunch& request);
// A launch on host memory.
struct DataLaunch {
  const char* net_name;
  void* const* inputs;
  const bm_shape_t* shapes;
  int input_num;
  void** outputs;
  bm_shape_t* output_shapes;
  int output_num;
  bool user_mem;
};
Status launch(Runtime& runtime, const DataLaunch& request);

// Allocates device memory for a tensor, 1N; the caller frees it.
Result<bm_tensor_t> allocate_tensor(Runtime& runtime, size_t device, bm_data_type_t dtype,
                                    const bm_shape_t& shape);
Status check_type(bm_data_type_t dtype);

}  // namespace tputwin::bmrt
