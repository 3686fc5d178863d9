// The engine, and a C interface for Python's ctypes.
#include "engine.h"

#include <bmlib_runtime.h>
#include <bmruntime_interface.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace {

void expect(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

}  // namespace

Engine::Engine(const std::string& file, int device) {
  expect(bm_dev_request(&handle_, device) == BM_SUCCESS, "bm_dev_request");
  runtime_ = bmrt_create(handle_);
  expect(runtime_ != nullptr && bmrt_load_bmodel(runtime_, file.c_str()), "bmrt_load_bmodel");
}

Engine::~Engine() {
  bmrt_destroy(runtime_);
  bm_dev_free(handle_);
}

std::vector<std::string> Engine::nets() const {
  const char** names = nullptr;
  bmrt_get_network_names(runtime_, &names);
  std::vector<std::string> list(names, names + bmrt_get_network_number(runtime_));
  std::free(names);
  return list;
}

size_t Engine::input_bytes(const std::string& net) const {
  return bmrt_get_network_info(runtime_, net.c_str())->max_input_bytes[0];
}

std::vector<unsigned char> Engine::process(const std::string& net,
                                           const std::vector<unsigned char>& in) {
  const bm_net_info_t* info = bmrt_get_network_info(runtime_, net.c_str());
  expect(info != nullptr, "bmrt_get_network_info");
  bm_tensor_t input, output;
  expect(bmrt_tensor(&input, runtime_, info->input_dtypes[0], info->stages[0].input_shapes[0]),
         "bmrt_tensor");
  bm_device_mem_t memory;
  expect(bm_malloc_device_byte_heap(handle_, &memory, 0, (unsigned)info->max_output_bytes[0]) ==
             BM_SUCCESS,
         "bm_malloc_device_byte_heap");
  bmrt_tensor_with_device(&output, memory, info->output_dtypes[0],
                          info->stages[0].output_shapes[0]);
  bm_memcpy_s2d_partial(handle_, input.device_mem, (void*)in.data(), (unsigned)in.size());
  expect(bmrt_launch_tensor_ex(runtime_, info->name, &input, 1, &output, 1, true, false),
         "bmrt_launch_tensor_ex");
  expect(bm_thread_sync_from_core(handle_, 0) == BM_SUCCESS, "bm_thread_sync_from_core");
  std::vector<unsigned char> out(bmrt_tensor_bytesize(&output));
  bm_memcpy_d2s_partial(handle_, out.data(), output.device_mem, (unsigned)out.size());
  bm_free_device(handle_, input.device_mem);
  bm_free_device(handle_, memory);
  return out;
}

std::map<std::string, std::string> card(int device) {
  bm_handle_t handle;
  expect(bm_dev_request(&handle, device) == BM_SUCCESS, "bm_dev_request");
  char serial[18], board[40];
  unsigned chip = 0, board_celsius = 0, chip_celsius = 0;
  int video[5] = {}, post[2] = {}, count = 0;
  bm_dev_stat_t stat;
  expect(bm_get_chipid(handle, &chip) == BM_SUCCESS && bm_get_sn(handle, serial) == BM_SUCCESS &&
             bm_get_board_name(handle, board) == BM_SUCCESS &&
             bm_get_board_temp(handle, &board_celsius) == BM_SUCCESS &&
             bm_get_chip_temp(handle, &chip_celsius) == BM_SUCCESS &&
             bm_get_vpu_instant_usage(handle, video) == BM_SUCCESS &&
             bm_get_vpp_instant_usage(handle, post) == BM_SUCCESS &&
             bm_get_stat(handle, &stat) == BM_SUCCESS && bm_dev_getcount(&count) == BM_SUCCESS,
         "a question to the card");
  bm_dev_free(handle);
  return {{"chip", chip == 0x1686 ? "BM1684X" : "BM1684"},
          {"serial", serial},
          {"board", board},
          {"celsius", std::to_string(board_celsius) + " " + std::to_string(chip_celsius)},
          {"usage", std::to_string(stat.tpu_util + video[0] + post[0])},
          {"cards", std::to_string(count)}};
}

extern "C" {

void* engine_open(const char* file) {
  try {
    return new Engine(file, 0);
  } catch (const std::exception&) {
    return nullptr;
  }
}
void engine_close(void* engine) { delete static_cast<Engine*>(engine); }
size_t engine_input_bytes(void* engine) {
  Engine& e = *static_cast<Engine*>(engine);
  return e.input_bytes(e.nets()[0]);
}
// Returns the number of bytes of the output; writes at most `capacity` of them.
long engine_process(void* engine, const void* in, size_t bytes, void* out, size_t capacity) {
  try {
    Engine& e = *static_cast<Engine*>(engine);
    const unsigned char* begin = static_cast<const unsigned char*>(in);
    const std::vector<unsigned char> result = e.process(e.nets()[0], {begin, begin + bytes});
    std::memcpy(out, result.data(), result.size() < capacity ? result.size() : capacity);
    return (long)result.size();
  } catch (const std::exception&) {
    return -1;
  }
}
const char* engine_board(void) {
  static std::string board;
  board = card(0)["board"];
  return board.c_str();
}
}
