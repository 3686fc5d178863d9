// A device with a runtime during a test, and helpers for recorded nets.
#pragma once

#include <bmruntime_interface.h>
#include <gtest/gtest.h>
#include <tputwin/error.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/file.h"
#include "bmodel/bm168x/model.h"
#include "sdk/bmlib/card.h"

namespace tputwin::testing {

using Bytes = std::vector<uint8_t>;

inline std::string recorded(const std::string& name) { return TPUTWIN_RECORDED + name; }

inline Bytes synthetic(size_t bytes, unsigned seed = 1) {
  Bytes data(bytes);
  for (size_t i = 0; i < bytes; ++i) data[i] = static_cast<uint8_t>(i * 37 * seed % 61);
  return data;
}

class Bmrt : public ::testing::Test {
 protected:
  explicit Bmrt(const Chip& chip = bm1684x()) {
    bmlib::use_chip(chip);
    EXPECT_EQ(bm_dev_request(&device, 0), BM_SUCCESS);
    runtime = bmrt_create(device);
    EXPECT_NE(runtime, nullptr);
    tputwin_clear_errors();
  }
  ~Bmrt() override {
    bmrt_destroy(runtime);
    bm_dev_free(device);
    bmlib::use_chip(bm1684x());
  }

  static std::string code() { return tputwin_last_error_code(); }
  const bm_net_info_t* load(const std::string& file, const char* net) {
    EXPECT_TRUE(bmrt_load_bmodel(runtime, recorded(file).c_str())) << tputwin_last_error();
    return bmrt_get_network_info(runtime, net);
  }
  // Runs a stage on host memory; returns the outputs one after the other.
  Bytes run_data(const bm_net_info_t& net, int stage, unsigned seed = 1) {
    std::vector<Bytes> inputs;
    std::vector<void*> in, out(static_cast<size_t>(net.output_num));
    std::vector<bm_shape_t> shapes(out.size());
    for (int i = 0; i < net.input_num; ++i) {
      const bm_tensor_t tensor{net.input_dtypes[i], net.stages[stage].input_shapes[i], {}, {}};
      inputs.push_back(synthetic(bmrt_tensor_bytesize(&tensor), seed));
      in.push_back(inputs.back().data());
    }
    EXPECT_TRUE(bmrt_launch_data(runtime, net.name, in.data(), net.stages[stage].input_shapes,
                                 net.input_num, out.data(), shapes.data(), net.output_num, false))
        << tputwin_last_error();
    Bytes all;
    for (int i = 0; i < net.output_num; ++i) {
      const bm_tensor_t tensor{net.output_dtypes[i], shapes[static_cast<size_t>(i)], {}, {}};
      const auto* bytes = static_cast<uint8_t*>(out[static_cast<size_t>(i)]);
      all.insert(all.end(), bytes, bytes + bmrt_tensor_bytesize(&tensor));
      std::free(out[static_cast<size_t>(i)]);
    }
    return all;
  }
  // Returns an input of the first stage in device memory.
  bm_tensor_t hold_input(const bm_net_info_t& net, unsigned seed = 1) {
    bm_tensor_t tensor{};
    EXPECT_TRUE(bmrt_tensor(&tensor, runtime, net.input_dtypes[0], net.stages[0].input_shapes[0]));
    Bytes bytes = synthetic(bmrt_tensor_bytesize(&tensor), seed);
    EXPECT_EQ(bm_memcpy_s2d_partial(device, tensor.device_mem, bytes.data(),
                                    static_cast<unsigned>(bytes.size())),
              BM_SUCCESS);
    return tensor;
  }
  Bytes read(const bm_tensor_t& tensor) {
    Bytes bytes(bmrt_tensor_bytesize(&tensor));
    EXPECT_EQ(bm_memcpy_d2s_partial(device, bytes.data(), tensor.device_mem,
                                    static_cast<unsigned>(bytes.size())),
              BM_SUCCESS);
    return bytes;
  }

  bm_handle_t device = nullptr;
  void* runtime = nullptr;
};

}  // namespace tputwin::testing
