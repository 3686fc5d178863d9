// Networks of the BM1684 become OKKernel programs: recorded and random commands have calls, and a
// network that this file makes runs as its kernel.
#include <bmlib_runtime.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <okk.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "common/recorded_commands.h"
#include "common/rng.h"
#include "common/temporary_directory.h"
#include "isa/streams/encode.h"
#include "isa/streams/format.h"
#include "isa/streams/stream.h"
#include "sdk/bmlib/card.h"
#include "selftest/random_operation.h"
#include "tools/lift/lift.h"

namespace tputwin::lift {
namespace {

namespace b168x = bmodel::bm168x;

class OkkCalls : public ::testing::Test {
 protected:
  OkkCalls() : recorder_(std::move(Recorder::create(bm1684()).value())) {}

  Instruction made(const std::function<void()>& call) {
    auto op = recorder_->record(call);
    EXPECT_TRUE(op) << (recorder_->broken() ? recorder_->broken()->message() : "several");
    const Engine engine = tputwin::engine(*op);
    return {.op = std::move(*op), .engine = engine};
  }

  std::unique_ptr<Recorder> recorder_;
};

// A call's command, decoded again, must have a call.
TEST_F(OkkCalls, AreFoundForMostRandomOperations) {
  testing::RandomCases cases(40);
  size_t found = 0, all = 0;
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    SCOPED_TRACE(cases.rerun(index));
    for (auto kind : testing::all_operation_kinds()) {
      if (family_of(kind) != ChipFamily::bm1684) continue;
      testing::Rng rng = cases.rng(index);
      const Operation op = random_operation(rng, kind);
      const auto bytes = isa::encode_command({.op = op, .engine = engine(op), .id = 1}, bm1684());
      if (!bytes.ok()) continue;
      const auto one = engine(op) == Engine::dma ? isa::decode_gdma_command(*bytes, bm1684())
                                                 : isa::decode_tiu_command(*bytes, bm1684());
      if (!one.ok()) continue;  // unrecorded forms are refused
      // forms that only compilers use have no function name
      if (!isa::format_of(bm1684()).function_name(one->instruction, bm1684()).starts_with("okk_"))
        continue;
      ++all;
      found += call_of(one->instruction, *recorder_).call.has_value();
    }
  }
  EXPECT_GT(all, 100u);
  EXPECT_GT(2 * found, all) << found << " of " << all;
}

// A net of the vendor's compiler whose last copies in lanes overwrite bytes that a store of the
// GDMA still reads. No wait orders them, only the order of execution does.
TEST_F(OkkCalls, KeepTheOrderOfCommandsThatTouchTheSameBytes) {
  const auto bytes = read_bytes(TPUTWIN_SOURCE_DIR
                                "/tests/conformance/bm168x/bm1684-nets/layers-active.bmodel");
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  const auto file = b168x::read(*bytes);
  ASSERT_TRUE(file.ok()) << file.status().message();
  const auto program = lift(*file, {.net = "lut-int8-0"}, *recorder_);
  ASSERT_TRUE(program.ok()) << program.status().message();
  const size_t store = program->kernel.find("okk_gdma_8bit_cpy_L2S(out0,");
  const size_t overwritten = program->kernel.rfind("okk_bdc_32bit_cpy(");
  ASSERT_NE(store, std::string::npos) << program->kernel;
  ASSERT_NE(overwritten, std::string::npos) << program->kernel;
  EXPECT_LT(store, overwritten) << program->kernel;
  // Three images of 1116 bytes, stored in cells of four.
  EXPECT_NE(program->host.find("4464); /* in0 \"in0\" stored as 4N */"), std::string::npos)
      << program->host;
}

constexpr uint64_t kWeightsAt = 0x1'0510'0000, kNeuronsAt = kWeightsAt + 0x1000;
constexpr ::dim4 kDims{2, 70, 3, 5};
constexpr uint32_t kCount = 2 * 70 * 3 * 5;

std::unique_ptr<b168x::TensorT> tensor(const char* name, uint64_t at) {
  auto made = std::make_unique<b168x::TensorT>();
  made->name = name;
  made->device_addr = at;
  made->size = kCount * sizeof(float);
  made->shape.push_back(std::make_unique<b168x::ShapeT>());
  made->shape[0]->dim = {2, 70, 3, 5};
  return made;
}

// Computes out0 = max(in0 * 0.5 + bias, 0); the bias is in the weights.
class Affine : public OkkCalls {
 protected:
  Affine() {
    std::vector<Instruction> program;
    program.push_back(
        made([] { okk_gdma_32bit_cpy_S2L(0, kNeuronsAt, &kDims, nullptr, nullptr); }));
    program.push_back(made([] {
      const ::dim4 row{1, 70, 1, 1}, compact{70, 1, 1, 1};
      okk_gdma_32bit_cpy_S2L(0x4000, kWeightsAt, &row, &compact, nullptr);
    }));
    program.push_back(made([] { okk_bdc_mul_C(0, 0, 0.5f, &kDims, nullptr, nullptr); }));
    program.push_back(made([] { okk_bdc_max_C(0x2000, 0, 0.25f, &kDims, nullptr, nullptr); }));
    program.push_back(made(
        [] { okk_gdma_32bit_cpy_L2S(kNeuronsAt + 0x4000, 0x2000, &kDims, nullptr, nullptr); }));
    uint32_t tiu = 0, gdma = 0;
    for (Instruction& in : program) {
      const bool moves = in.engine == Engine::dma;
      in.id = ++(moves ? gdma : tiu);
      in.wait = moves ? tiu : gdma;
    }
    commands_ = program.size();
    const auto streams = isa::encode_streams(program, bm1684());
    EXPECT_TRUE(streams.ok()) << streams.status().message();
    fill(*streams);
  }

  void fill(const isa::EncodedStreams& streams) {
    std::vector<float> bias(70, 1.0f);
    auto add = [&](const void* bytes, size_t size) {
      const uint64_t start = binary_.size();
      const auto* first = static_cast<const uint8_t*>(bytes);
      binary_.insert(binary_.end(), first, first + size);
      return std::make_unique<b168x::Binary>(start, size);
    };
    auto stage = std::make_unique<b168x::NetParameterT>();
    stage->input_tensor.push_back(tensor("data", kNeuronsAt));
    stage->output_tensor.push_back(tensor("scaled", kNeuronsAt + 0x4000));
    stage->ctx_addr = kNeuronsAt;
    stage->ctx_size = 0x8000;
    stage->coeff_mem = std::make_unique<b168x::CoeffMemT>();
    stage->coeff_mem->address = kWeightsAt;
    stage->coeff_mem->binary_coeff = add(bias.data(), bias.size() * sizeof(float));
    auto group = std::make_unique<b168x::CmdGroupT>();
    group->binary_bdc = add(streams.tiu.data(), streams.tiu.size());
    group->binary_gdma = add(streams.gdma.data(), streams.gdma.size());
    stage->cmd_group.push_back(std::move(group));
    file_.model.chip = "BM1684";
    file_.model.net.push_back(std::make_unique<b168x::NetT>());
    file_.model.net[0]->name = "affine";
    file_.model.net[0]->parameter.push_back(std::move(stage));
    file_.binary = binary_;
  }

  std::vector<uint8_t> binary_;
  b168x::File file_;
  size_t commands_ = 0;
};

// Returns the results of the kernel.
std::vector<float> run(const char* kernel, const std::vector<float>& input) {
  bmlib::use_chip(bm1684());
  bm_handle_t handle = nullptr;
  bm_device_mem_t weights, neurons;
  std::vector<float> bias(70, 1.0f), output(kCount);
  EXPECT_EQ(bm_dev_request(&handle, 0), BM_SUCCESS);
  EXPECT_EQ(bm_malloc_device_byte(handle, &weights, 70 * sizeof(float)), BM_SUCCESS);
  EXPECT_EQ(bm_malloc_device_byte(handle, &neurons, 0x8000), BM_SUCCESS);
  // bmruntime, which test programs link, also defines bm_memcpy_s2d
  EXPECT_EQ(bm_memcpy_s2d_partial(handle, weights, bias.data(), 70 * sizeof(float)), BM_SUCCESS);
  EXPECT_EQ(bm_memcpy_s2d_partial(handle, neurons, const_cast<float*>(input.data()),
                                  kCount * sizeof(float)),
            BM_SUCCESS);
  const uint64_t addresses[] = {bm_mem_get_device_addr(weights), bm_mem_get_device_addr(neurons)};
  EXPECT_EQ(okkernel_launch_sync(handle, kernel, addresses, sizeof addresses), BM_SUCCESS);
  EXPECT_EQ(
      bm_memcpy_d2s_partial_offset(handle, output.data(), neurons, kCount * sizeof(float), 0x4000),
      BM_SUCCESS);
  bm_free_device(handle, weights);
  bm_free_device(handle, neurons);
  bm_dev_free(handle);
  return output;
}

TEST_F(Affine, RunsAsAKernel) {
  const auto program = lift(file_, {}, *recorder_);
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_EQ(program->tally.commands, commands_);
  EXPECT_EQ(program->tally.raw, 0u) << program->kernel;
  for (const char* call : {"okk_bdc_mul_C(", "okk_bdc_max_C(", "okk_gdma_32bit_cpy_L2S(out0,",
                           "okk_initialize();", "OKKERNEL_FUNC_REGISTER(lifted_affine)"})
    EXPECT_NE(program->kernel.find(call), std::string::npos) << call << "\n" << program->kernel;
  const testing::TemporaryDirectory folder;
  std::ofstream(folder / "kernel.c") << program->kernel;
  const std::string library = (folder / "kernel.so").string();
  ASSERT_EQ(
      std::system(
          (TPUTWIN_C_COMPILER
           " -std=c99 -Wall -Wextra -Werror -DUSING_CMODEL -shared -fPIC -I" TPUTWIN_SOURCE_DIR
           "/include -o " +
           library + " " + (folder / "kernel.c").string())
              .c_str()),
      0);
  ASSERT_NE(dlopen(library.c_str(), RTLD_NOW), nullptr) << dlerror();
  std::vector<float> input(kCount);
  for (uint32_t i = 0; i < kCount; ++i) input[i] = static_cast<float>(i % 17) - 8;
  const std::vector<float> output = run("lifted_affine", input);
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(output[i], std::max(input[i] * 0.5f, 0.25f)) << i;
}

}  // namespace
}  // namespace tputwin::lift
