// Launches: on device and host memory, by shape, in storage modes, on threads, in address modes.
#include <thread>

#include "bmrt/support.h"
#include "sdk/bmrt/storage.h"

namespace tputwin::testing {
namespace {

using namespace bmodel::bm168x;

TEST_F(Bmrt, DeviceAndHostMemoryGiveTheSame) {
  const bm_net_info_t& net = *load("nets-attention-int8.bmodel", "attention-int8");
  bm_tensor_t input = hold_input(net), output{};
  ASSERT_TRUE(bmrt_launch_tensor(runtime, net.name, &input, 1, &output, 1));
  ASSERT_EQ(bm_thread_sync_from_core(device, 0), BM_SUCCESS);
  EXPECT_EQ(output.st_mode, BM_STORE_1N);
  EXPECT_EQ(output.dtype, BM_FLOAT32);
  EXPECT_EQ(read(output), run_data(net, 0));
  bm_free_device(device, output.device_mem);
  bm_free_device(device, input.device_mem);
}

TEST_F(Bmrt, TheUsersMemory) {
  const bm_net_info_t& net = *load("nets-attention-int8.bmodel", "attention-int8");
  bm_tensor_t input = hold_input(net), output{};
  ASSERT_TRUE(bmrt_tensor(&output, runtime, net.output_dtypes[0], net.stages[0].output_shapes[0]));
  const auto address = bm_mem_get_device_addr(output.device_mem);
  ASSERT_TRUE(
      bmrt_launch_tensor_ex(runtime, net.name, &input, 1, &output, 1, /*user_mem=*/true, false));
  ASSERT_EQ(bm_thread_sync(device), BM_SUCCESS);
  EXPECT_EQ(bm_mem_get_device_addr(output.device_mem), address);
  EXPECT_EQ(read(output), run_data(net, 0));
  bm_free_device(device, output.device_mem);
  bm_free_device(device, input.device_mem);
}

// An input in groups of four images gives the results of the plain input.
TEST_F(Bmrt, StorageOfInputs) {
  const bm_net_info_t& net = *load("nets-attention-int8.bmodel", "attention-int8");
  const bm_shape_t shape = net.stages[0].input_shapes[0];
  const auto images = static_cast<uint64_t>(shape.dims[0]);
  const uint64_t elements = bmrt_shape_count(&shape) / images;
  const Bytes plain = synthetic(images * elements);
  Bytes grouped(bmrt::stored_bytes(images, elements, 8, BM_STORE_4N));
  bmrt::copy_stored(grouped.data(), BM_STORE_4N, plain.data(), BM_STORE_1N, images, elements, 8);
  for (uint64_t i = 0; i < images * elements; ++i)
    EXPECT_EQ(grouped[(i / elements / 4 * elements + i % elements) * 4 + i / elements % 4],
              plain[i]);
  bm_tensor_t input{BM_INT8, shape, {}, BM_STORE_4N}, output{};
  ASSERT_EQ(bm_malloc_device_byte(device, &input.device_mem, static_cast<unsigned>(grouped.size())),
            BM_SUCCESS);
  ASSERT_EQ(bm_memcpy_s2d(device, input.device_mem, grouped.data()), BM_SUCCESS);
  ASSERT_TRUE(bmrt_launch_tensor(runtime, net.name, &input, 1, &output, 1));
  ASSERT_EQ(bm_thread_sync(device), BM_SUCCESS);
  EXPECT_EQ(read(output), run_data(net, 0));
  bm_free_device(device, output.device_mem);
  bm_free_device(device, input.device_mem);
}

TEST_F(Bmrt, TheStageOfTheShapes) {
  const bm_net_info_t& net = *load("nets-stages.bmodel", "stages");
  for (int stage = 0; stage < net.stage_num; ++stage)
    EXPECT_EQ(run_data(net, stage).size() / 4, bmrt_shape_count(net.stages[stage].output_shapes));
  // with several stages, an equal number of elements is not sufficient
  bm_tensor_t input = hold_input(net), output{};
  std::swap(input.shape.dims[2], input.shape.dims[3]);
  EXPECT_FALSE(bmrt_launch_tensor(runtime, net.name, &input, 1, &output, 1));
  EXPECT_EQ(code(), "TW-BRT-0205");
  bm_free_device(device, input.device_mem);
}

TEST_F(Bmrt, EqualCountsAreEnoughForTheOnlyStage) {
  const bm_net_info_t& net = *load("nets-attention-int8.bmodel", "attention-int8");
  bm_tensor_t input = hold_input(net), output{};
  input.shape = {1, {480}};
  EXPECT_TRUE(bmrt_launch_tensor(runtime, net.name, &input, 1, &output, 1));
  ASSERT_EQ(bm_thread_sync(device), BM_SUCCESS);
  EXPECT_EQ(read(output), run_data(net, 0));
  bm_free_device(device, output.device_mem);
  bm_free_device(device, input.device_mem);
}

TEST_F(Bmrt, NetsRunRoundRobin) {
  const bm_net_info_t& first = *load("nets-lenet-int8.bmodel", "lenet-int8");
  const bm_net_info_t& second = *load("nets-unet-fp32.bmodel", "unet-fp32");
  const Bytes a = run_data(first, 0), b = run_data(second, 0);
  EXPECT_EQ(run_data(first, 0), a);
  EXPECT_EQ(run_data(second, 0), b);
}

TEST_F(Bmrt, ThreadsLaunchOnOneRuntime) {
  const bm_net_info_t& net = *load("nets-lenet-int8.bmodel", "lenet-int8");
  std::vector<Bytes> expected, got(4);
  for (unsigned seed = 1; seed <= 4; ++seed) expected.push_back(run_data(net, 0, seed));
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < 4; ++i)
      threads.emplace_back([&, i] {
        for (int round = 0; round < 3; ++round) got[i] = run_data(net, 0, i + 1);
      });
  }
  EXPECT_EQ(got, expected);
}

TEST_F(Bmrt, ErrorsRunNothing) {
  const bm_net_info_t& net = *load("nets-lenet-int8.bmodel", "lenet-int8");
  bm_tensor_t input = hold_input(net), output{};
  bm_profile_t before{}, after{};
  bm_get_profile(device, &before);
  EXPECT_FALSE(bmrt_launch_tensor(runtime, "none", &input, 1, &output, 1));
  EXPECT_FALSE(bmrt_launch_tensor(runtime, net.name, nullptr, 1, &output, 1));
  EXPECT_FALSE(bmrt_launch_tensor(runtime, net.name, &input, 1, &output, 2));
  EXPECT_FALSE(bmrt_launch_tensor_ex(runtime, net.name, &input, 1, &output, 1, true, false));
  EXPECT_EQ(code(), "TW-BRT-0206");  // the user's memory is null
  const int other[] = {1};
  EXPECT_FALSE(bmrt_launch_tensor_multi_cores(runtime, net.name, &input, 1, &output, 1, false,
                                              false, other, 1));
  bm_get_profile(device, &after);
  EXPECT_EQ(before.sent_api_counter, after.sent_api_counter);
  const int zero[] = {0};
  EXPECT_TRUE(bmrt_pre_alloc_neuron_multi_cores(runtime, net.name, 0, zero, 1));
  bm_free_device(device, input.device_mem);
}

// ---- Address modes ----

// Returns the recorded net after `change`, as a file.
template <class Change>
Bytes changed(const std::string& name, Change change) {
  const Bytes bytes = *read_bytes(recorded(name));
  auto file = *bmodel::bm168x::read(bytes);
  Bytes binary(file.binary.begin(), file.binary.end());
  change(*file.model.net[0], *file.model.net[0]->parameter[0], binary);
  return write(file.model, binary);
}

// Splits the neurons, one area in the file: io memory up to the end of the outputs, and the rest.
TEST_F(Bmrt, IoMemoryOfItsOwn) {
  const Bytes expected = run_data(*load("nets-lenet-int8.bmodel", "lenet-int8"), 0);
  bmrt_destroy(std::exchange(runtime, bmrt_create(device)));
  const Bytes file = changed("nets-lenet-int8.bmodel", [](NetT& net, NetParameterT& stage, Bytes&) {
    uint64_t end = 0;
    for (const auto* list : {&stage.input_tensor, &stage.output_tensor})
      for (const auto& tensor : *list)
        end = std::max(end, tensor->device_addr + tensor_bytes(*tensor));
    net.addr_mode = 1;
    stage.io_addr = stage.ctx_addr;
    stage.io_size = std::min((end - stage.ctx_addr + 4095) / 4096 * 4096, stage.ctx_size);
    stage.ctx_addr += stage.io_size;
    stage.ctx_size -= stage.io_size;
    stage.ctx_sizes = {stage.ctx_size};
  });
  ASSERT_TRUE(bmrt_load_bmodel_data(runtime, file.data(), file.size())) << tputwin_last_error();
  EXPECT_EQ(run_data(*bmrt_get_network_info(runtime, "lenet-int8"), 0), expected);
}

uint64_t address_at(const Bytes& bytes, uint64_t at) {
  uint64_t address = 0;
  for (int i = 4; i >= 0; --i) address = address << 8 | bytes[at + static_cast<uint64_t>(i)];
  return address;
}

// The commands have zeros as addresses of inputs and outputs; the relocation entries hold them.
TEST_F(Bmrt, RelocatedIo) {
  const Bytes expected = run_data(*load("nets-lenet-int8.bmodel", "lenet-int8"), 0);
  bmrt_destroy(std::exchange(runtime, bmrt_create(device)));
  size_t entries = 0;
  const Bytes file =
      changed("nets-lenet-int8.bmodel", [&](NetT& net, NetParameterT& stage, Bytes& binary) {
        net.addr_mode = 4;
        auto& group = *stage.sub_net[0]->cmd_group[0];
        const TensorT* io[] = {stage.input_tensor[0].get(), stage.output_tensor[0].get()};
        for (uint32_t command = 0; command + 1 < group.gdma_num; ++command)
          for (uint32_t field : {64u, 72u}) {
            const uint32_t offset = command * 96 + field;
            const uint64_t at = group.binary_gdma->start() + offset;
            const uint64_t address = address_at(binary, at);
            for (uint32_t i = 0; i < 2; ++i) {
              const uint64_t inside = address - io[i]->device_addr;
              if (inside >= tensor_bytes(*io[i])) continue;
              group.reloc_entries.emplace_back(i, static_cast<uint32_t>(inside), offset);
              std::fill_n(binary.begin() + static_cast<ptrdiff_t>(at), 5, uint8_t{0});
              ++entries;
            }
          }
      });
  ASSERT_GE(entries, 2u);
  ASSERT_TRUE(bmrt_load_bmodel_data(runtime, file.data(), file.size())) << tputwin_last_error();
  EXPECT_EQ(run_data(*bmrt_get_network_info(runtime, "lenet-int8"), 0), expected);
}

// A net that cannot run gives an error; the other nets of the file run.
TEST_F(Bmrt, NetsThatCannotRunReportWhy) {
  const Bytes bytes = *read_bytes(recorded("nets-lenet-int8.bmodel"));
  auto file = *bmodel::bm168x::read(bytes);
  auto other = std::make_unique<NetT>(*file.model.net[0]);
  other->name = "dynamic";
  other->parameter[0]->sub_net[0]->is_dynamic = 1;
  file.model.net.push_back(std::move(other));
  const Bytes both = write(file.model, file.binary);
  ASSERT_TRUE(bmrt_load_bmodel_data(runtime, both.data(), both.size()));
  const bm_net_info_t& dynamic = *bmrt_get_network_info(runtime, "dynamic");
  bm_tensor_t input = hold_input(dynamic), output{};
  EXPECT_FALSE(bmrt_launch_tensor(runtime, dynamic.name, &input, 1, &output, 1));
  EXPECT_EQ(code(), "TW-BRT-0104");
  EXPECT_NE(std::string(tputwin_last_error()).find("it is dynamic"), std::string::npos);
  EXPECT_FALSE(run_data(*bmrt_get_network_info(runtime, "lenet-int8"), 0).empty());
  bm_free_device(device, input.device_mem);
}

}  // namespace
}  // namespace tputwin::testing
