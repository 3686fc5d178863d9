// Lifted programs: the example's text, waits that sections satisfy, a host program that runs,
// refusals.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "base/errors/bmrt.h"
#include "base/errors/tools.h"
#include "base/file.h"
#include "common/temporary_directory.h"
#include "tools/lift/lift.h"
#include "tools/lift/program_parts.h"

namespace tputwin::lift {
namespace {

namespace b168x = bmodel::bm168x;

// A recorded model.
struct Model {
  explicit Model(const std::string& name)
      : path(TPUTWIN_SOURCE_DIR "/tests/conformance/bm168x/bm1684x/" + name),
        bytes(read_bytes(path).value()),
        file(b168x::read(bytes).value()) {}

  Options options(const std::string& net) const {
    return {.net = net,
            .model = std::filesystem::path(path).filename().string(),
            .binary_at = static_cast<uint64_t>(file.binary.data() - bytes.data())};
  }

  std::string path;
  std::vector<uint8_t> bytes;
  b168x::File file;
};

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Lift, WritesTheExample) {
  const Model model("layers-conv-fp16.bmodel");
  Options options = model.options("conv-fp16-3x3");
  options.kernel = "conv_relu";
  const auto program = lift(model.file, options);
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_EQ(program->kernel, text_of(TPUTWIN_SOURCE_DIR "/examples/lift/before.c"));
  EXPECT_EQ(program->tally.raw, 0u);
}

// Expects that every command that is waited for completes before the waiting command's section.
void expect_waits_kept(const Group& group) {
  uint32_t done_tiu = 0, done_gdma = 0;
  size_t commands = 0;
  for (const Section& section : sections_of(group, bm1684x())) {
    uint32_t tiu = done_tiu, gdma = done_gdma;
    for (const Step* step : section.steps) {
      const bool moves = step->instruction.engine == Engine::dma;
      uint32_t& mine = moves ? gdma : tiu;
      EXPECT_GT(step->instruction.id, mine);
      mine = step->instruction.id;
      EXPECT_LE(step->instruction.wait, moves ? done_tiu : done_gdma);
      ++commands;
    }
    done_tiu = tiu;
    done_gdma = gdma;
  }
  EXPECT_EQ(commands, group.steps.size());
}

TEST(Lift, SectionsKeepTheWaits) {
  const auto recorder = std::move(Recorder::create(bm1684x()).value());
  for (const std::string name :
       {"layers-group.bmodel", "nets-groups.bmodel", "nets-unet-fp32.bmodel"}) {
    const Model model(name);
    for (const auto& net : model.file.model.net) {
      SCOPED_TRACE(net->name);
      const auto stage = read_stage(model.file, *net, 0, *recorder);
      ASSERT_TRUE(stage.ok()) << stage.status().message();
      for (const Group& group : stage->groups) expect_waits_kept(group);
    }
  }
}

TEST(Lift, PartsHaveEveryCommandOnceInOrder) {
  const auto recorder = std::move(Recorder::create(bm1684x()).value());
  const Model model("nets-subnets.bmodel");
  const auto stage = read_stage(model.file, *model.file.model.net[0], 0, *recorder);
  ASSERT_TRUE(stage.ok()) << stage.status().message();
  const auto parts = parts_of(*stage, GlobalNames(*stage, bm1684x()), bm1684x());
  std::vector<const Step*> steps, expected;
  for (const Part& part : parts) {
    const auto own = part.steps();
    steps.insert(steps.end(), own.begin(), own.end());
  }
  EXPECT_EQ(std::set(steps.begin(), steps.end()).size(), steps.size());
  for (const Group& group : stage->groups)
    for (const Section& section : sections_of(group, bm1684x()))
      expected.insert(expected.end(), section.steps.begin(), section.steps.end());
  EXPECT_EQ(steps, expected);
  EXPECT_GT(parts.size(), stage->groups.size());
}

// Kernel and host compile without a warning and give the network's results.
TEST(Lift, HostRuns) {
  const testing::TemporaryDirectory folder;
  const Model model("nets-lenet-int8.bmodel");
  const auto program = lift(model.file, model.options(""));
  ASSERT_TRUE(program.ok()) << program.status().message();
  std::ofstream(folder / "kernel.c") << program->kernel;
  std::ofstream(folder / "main.c") << program->host;
  const auto& stage = *model.file.model.net[0]->parameter[0];
  std::ofstream(folder / "in0.bin")
      << std::string(b168x::tensor_bytes(*stage.input_tensor[0]), '\x15');
  const std::string in = "cd " + folder.path().string() + " && ", lib = TPUTWIN_BIN_DIR "/../lib";
  EXPECT_EQ(std::system((in +
                         TPUTWIN_C_COMPILER
                         " -std=c99 -Wall -Wextra -Werror -DUSING_CMODEL -I" TPUTWIN_SOURCE_DIR
                         "/include -o main main.c kernel.c -L" +
                         lib + " -ltpukernel -lbmlib -ltputwin -Wl,-rpath," + lib)
                            .c_str()),
            0);
  EXPECT_EQ(std::system((in + "./main " + model.path + " in0.bin out0.bin").c_str()), 0);
  EXPECT_EQ(std::system((in + TPUTWIN_BIN_DIR "/tputwin run " + model.path +
                         " --input in0.bin --output net.bin > run.txt")
                            .c_str()),
            0);
  const std::string lifted = text_of(folder / "out0.bin");
  EXPECT_FALSE(lifted.empty());
  EXPECT_EQ(lifted, text_of(folder / "net.bin"));
}

TEST(Lift, RefusesWhatDoesNotRun) {
  Model model("nets-subnets.bmodel");
  auto error = [&](const Options& options) {
    const auto program = lift(model.file, options);
    return program.ok() ? ErrorId{} : program.error().id();
  };
  EXPECT_EQ(error(model.options("")), ErrorId{});
  EXPECT_EQ(error(model.options("none")), errors::brt_net);
  Options options = model.options("");
  options.stage = 1;
  EXPECT_EQ(error(options), errors::cli_stage);
  auto& subnets = model.file.model.net[0]->parameter[0]->sub_net;
  subnets[1]->is_dynamic = 1;
  EXPECT_EQ(error(model.options("")), errors::cli_lift);
  subnets[1]->is_dynamic = 0;
  subnets[1]->subnet_mode = 1;
  EXPECT_EQ(error(model.options("")), errors::cli_lift);
}

}  // namespace
}  // namespace tputwin::lift
