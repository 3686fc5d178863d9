// The C++ interface: a small class like those of binding libraries, and the rules of its tensors.
#include <bmruntime_cpp.h>

#include "bmrt/support.h"

namespace tputwin::testing {
namespace {

using bmruntime::Context;
using bmruntime::Network;
using bmruntime::Tensor;

// The calls of such libraries: a handle, a runtime, and queries of the device.
class Engine {
 public:
  Engine(const std::string& file, const char* net, int stage)
      : context_(0),
        good_(context_.load_bmodel(file.c_str()) == BM_SUCCESS),
        network_(context_, net, stage) {}

  bool good() const { return good_ && network_.info() != nullptr; }
  Context& context() { return context_; }
  Network& network() { return network_; }
  Bytes process(const Bytes& input) {
    EXPECT_EQ(network_.Inputs()[0]->CopyFrom(input.data()), BM_SUCCESS);
    EXPECT_EQ(network_.Forward(/*sync=*/false), BM_SUCCESS);
    EXPECT_EQ(bm_thread_sync(context_.handle()), BM_SUCCESS);
    Bytes output(network_.Outputs()[0]->ByteSize());
    EXPECT_EQ(network_.Outputs()[0]->CopyTo(output.data()), BM_SUCCESS);
    return output;
  }

 private:
  Context context_;
  bool good_;
  Network network_;
};

TEST_F(Bmrt, TheCppInterfaceRunsNets) {
  Engine engine(recorded("nets-lenet-int8.bmodel"), "lenet-int8", 0);
  ASSERT_TRUE(engine.good());
  const Bytes expected = run_data(*load("nets-lenet-int8.bmodel", "lenet-int8"), 0);
  Network& net = engine.network();
  EXPECT_EQ(engine.process(synthetic(net.Inputs()[0]->ByteSize())), expected);
  EXPECT_EQ(net.Input("in0"), net.Inputs()[0]);
  EXPECT_EQ(net.Output("in0"), nullptr);
  EXPECT_EQ(bmruntime::Count(*net.Inputs()[0]), 28u * 28);
  EXPECT_EQ(bmruntime::ByteSize(*net.Inputs()[0]), 28u * 28 * 4);
  EXPECT_EQ(bmruntime::ByteSize(BM_INT16), 2u);
  EXPECT_EQ(bmruntime::ByteSize(net.Inputs()[0]->tensor()->device_mem), 28u * 28 * 4);
  std::vector<const char*> names{"old"};
  engine.context().get_network_names(&names);
  EXPECT_EQ(names.size(), 1u);
  EXPECT_EQ(engine.context().get_network_number(), 1);
}

TEST_F(Bmrt, StageByReshape) {
  Context context(device);
  ASSERT_EQ(context.load_bmodel(recorded("nets-stages.bmodel").c_str()), BM_SUCCESS);
  Network free_shape(context, "stages"), fixed(context, "stages", 1);
  EXPECT_EQ(free_shape.Forward(), BM_ERR_FAILURE);
  EXPECT_EQ(code(), "TW-BRT-0301");
  ASSERT_EQ(free_shape.Inputs()[0]->Reshape({4, {1, 3, 12, 10}}), BM_SUCCESS);
  EXPECT_NE(fixed.Inputs()[0]->Reshape({4, {1, 3, 8, 9}}), BM_SUCCESS);
  EXPECT_NE(free_shape.Inputs()[0]->Reshape({4, {1, 3, 800, 900}}), BM_SUCCESS);
  Bytes results[2];
  for (Network* net : {&free_shape, &fixed}) {
    const Bytes input = synthetic(net->Inputs()[0]->ByteSize());
    ASSERT_EQ(net->Inputs()[0]->CopyFrom(input.data(), input.size() / 2), BM_SUCCESS);
    ASSERT_EQ(net->Inputs()[0]->CopyFrom(input.data() + input.size() / 2, input.size() / 2,
                                         input.size() / 2),
              BM_SUCCESS);
    ASSERT_EQ(net->Forward(), BM_SUCCESS) << tputwin_last_error();
    Bytes& result = results[net == &fixed];
    result.resize(net->Outputs()[0]->ByteSize());
    ASSERT_EQ(net->Outputs()[0]->CopyTo(result.data()), BM_SUCCESS);
  }
  EXPECT_EQ(results[0].size(), 3u * 24 * 20 * 4);
  EXPECT_EQ(results[0], results[1]);
}

TEST_F(Bmrt, MemoryOfTheCaller) {
  Context context(device);
  ASSERT_EQ(context.load_bmodel(recorded("nets-lenet-int8.bmodel").c_str()), BM_SUCCESS);
  Network net(context, "lenet-int8", 0);
  bm_device_mem_t memory;
  ASSERT_EQ(bm_malloc_device_byte(device, &memory, 28 * 28 * 4), BM_SUCCESS);
  ASSERT_EQ(net.Inputs()[0]->set_device_mem(memory), BM_SUCCESS);
  Bytes input = synthetic(28 * 28 * 4), output(40);
  ASSERT_EQ(bm_memcpy_s2d(device, memory, input.data()), BM_SUCCESS);
  ASSERT_EQ(net.Forward(), BM_SUCCESS);
  ASSERT_EQ(net.Outputs()[0]->CopyTo(output.data()), BM_SUCCESS);
  EXPECT_EQ(output, run_data(*load("nets-lenet-int8.bmodel", "lenet-int8"), 0));
  EXPECT_NE(net.Outputs()[0]->CopyTo(output.data(), 4, 37), BM_SUCCESS);
  EXPECT_NE(net.Inputs()[0]->set_device_mem(bm_mem_from_device(0x1'0000'0000, 8)), BM_SUCCESS);
  bm_free_device(device, memory);
}

TEST_F(Bmrt, NetworksThatAreNotThere) {
  Context context(device);
  Network net(context, "none");
  EXPECT_EQ(net.info(), nullptr);
  EXPECT_TRUE(net.Inputs().empty());
  EXPECT_EQ(net.Input("x"), nullptr);
  EXPECT_NE(net.Forward(), BM_SUCCESS);
}

// Further queries of binding libraries to the device.
TEST_F(Bmrt, WhatBindingsQueryOfTheDevice) {
  char serial[18], board[40];
  unsigned celsius = 0, chip = 0;
  int usage[5] = {-1, -1, -1, -1, -1};
  ASSERT_EQ(bm_get_sn(device, serial), BM_SUCCESS);
  EXPECT_EQ(std::string(serial), "TPUTWIN0000000000");
  ASSERT_EQ(bm_get_board_name(device, board), BM_SUCCESS);
  EXPECT_NE(std::string(board).find("1684X"), std::string::npos);
  ASSERT_EQ(bm_get_board_temp(device, &celsius), BM_SUCCESS);
  EXPECT_EQ(celsius, 40u);
  ASSERT_EQ(bm_get_chip_temp(device, &celsius), BM_SUCCESS);
  ASSERT_EQ(bm_get_vpu_instant_usage(device, usage), BM_SUCCESS);
  EXPECT_EQ(usage[2], 0);
  EXPECT_EQ(usage[3], -1);
  ASSERT_EQ(bm_get_vpp_instant_usage(device, usage), BM_SUCCESS);
  ASSERT_EQ(bm_get_chipid(device, &chip), BM_SUCCESS);
  EXPECT_EQ(chip, 0x1686u);
  EXPECT_EQ(bm_thread_sync_from_core(device, 1), BM_ERR_PARAM);
  EXPECT_EQ(bm_get_sn(device, nullptr), BM_ERR_PARAM);
}

}  // namespace
}  // namespace tputwin::testing
