// A compiled network computes on padding that never leaves; an input that nothing wrote is found.
#include <bmruntime_interface.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "insight/check_process.h"
#include "insight/mutants.h"

namespace tputwin::insight::testing {
namespace {

const std::string kFolder = TPUTWIN_SOURCE_DIR "/tests/conformance/bm168x/bm1684x/";

struct Loaded {
  bm_handle_t handle = nullptr;
  void* runtime = nullptr;
  const bm_net_info_t* net = nullptr;
};

Loaded load(const char* file, const char* name) {
  check_everything();
  setenv("TPUTWIN_CHIP", "BM1684X", 1);
  Loaded loaded;
  EXPECT_EQ(bm_dev_request(&loaded.handle, 0), BM_SUCCESS);
  loaded.runtime = bmrt_create(loaded.handle);
  EXPECT_TRUE(bmrt_load_bmodel(loaded.runtime, (kFolder + file).c_str()));
  loaded.net = bmrt_get_network_info(loaded.runtime, name);
  return loaded;
}

// Launches a network and copies its output to the host. Returns the findings that are no hints.
std::vector<Finding> findings_of(const Loaded& loaded, bool has_input) {
  const size_t before = report_of_process()->findings().size();
  const bm_net_info_t& net = *loaded.net;
  bm_tensor_t input{}, output{};
  EXPECT_TRUE(
      bmrt_tensor(&input, loaded.runtime, net.input_dtypes[0], net.stages[0].input_shapes[0]));
  std::vector<uint8_t> bytes(bmrt_tensor_bytesize(&input), 1);
  if (has_input) {
    EXPECT_EQ(bm_memcpy_s2d(loaded.handle, input.device_mem, bytes.data()), BM_SUCCESS);
  }
  EXPECT_TRUE(bmrt_launch_tensor(loaded.runtime, net.name, &input, 1, &output, 1));
  EXPECT_EQ(bm_thread_sync(loaded.handle), BM_SUCCESS);
  bytes.resize(bmrt_tensor_bytesize(&output));
  EXPECT_EQ(bm_memcpy_d2s_partial(loaded.handle, bytes.data(), output.device_mem,
                                  static_cast<unsigned>(bytes.size())),
            BM_SUCCESS);
  bm_free_device(loaded.handle, input.device_mem);
  bm_free_device(loaded.handle, output.device_mem);
  std::vector<Finding> all = report_of_process()->findings();
  all.erase(all.begin(), all.begin() + static_cast<ptrdiff_t>(before));
  std::erase_if(all, is_hint);
  return all;
}

// The weights are in memory of the program, which it releases and allocates again before the
// launch.
TEST(PlantedNetwork, WeightsThatNothingWroteReachTheOutput) {
  check_everything();
  setenv("TPUTWIN_CHIP", "BM1684X", 1);
  const std::string path = kFolder + "nets-attention-int8.bmodel";
  Loaded loaded;
  ASSERT_EQ(bm_dev_request(&loaded.handle, 0), BM_SUCCESS);
  mem_info_t memory;
  ASSERT_TRUE(bmrt_get_bmodel_info(path.c_str(), &memory));
  std::vector<bm_device_mem_u64_t> blocks;
  for (memory_t* part : {&memory.neuron_mem, &memory.io_mem, &memory.coeff_mem}) {
    if (part->size == 0) continue;
    blocks.emplace_back();
    ASSERT_EQ(bm_malloc_device_byte_u64(loaded.handle, &blocks.back(), part->size), BM_SUCCESS);
    part->addr = static_cast<int64_t>(bm_mem_get_device_addr_u64(blocks.back()));
  }
  loaded.runtime = bmrt_create(loaded.handle);
  ASSERT_TRUE(bmrt_load_bmodel_with_mem(loaded.runtime, path.c_str(), &memory));
  loaded.net = bmrt_get_network_info(loaded.runtime, "attention-int8");
  const auto address = bm_mem_get_device_addr_u64(blocks.back());
  bm_free_device_u64(loaded.handle, blocks.back());
  ASSERT_EQ(bm_malloc_device_byte_u64(loaded.handle, &blocks.back(), memory.coeff_mem.size),
            BM_SUCCESS);
  ASSERT_EQ(bm_mem_get_device_addr_u64(blocks.back()), address);
  const std::vector<Finding> found = findings_of(loaded, /*has_input=*/true);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(info(found[0].kind).id, "uninitialized") << describe(found[0]);
  EXPECT_EQ(found[0].actor.kernel, "attention-int8") << describe(found[0]);
  EXPECT_GE(found[0].way.size(), 3u) << describe(found[0]);
  EXPECT_TRUE(found[0].way.back().does.starts_with("read by")) << describe(found[0]);
  bmrt_destroy(loaded.runtime);
  for (const bm_device_mem_u64_t& block : blocks) bm_free_device_u64(loaded.handle, block);
  bm_dev_free(loaded.handle);
}

TEST(PlantedNetwork, InputThatNothingWroteIsFound) {
  const Loaded loaded = load("nets-attention-int8.bmodel", "attention-int8");
  ASSERT_NE(loaded.net, nullptr);
  EXPECT_TRUE(findings_of(loaded, /*has_input=*/true).empty());
  const std::vector<Finding> found = findings_of(loaded, /*has_input=*/false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(info(found[0].kind).id, "host-uninitialized") << describe(found[0]);
  bmrt_destroy(loaded.runtime);
  bm_dev_free(loaded.handle);
}

}  // namespace
}  // namespace tputwin::insight::testing
