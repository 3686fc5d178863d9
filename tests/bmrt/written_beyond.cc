// Commands that write slightly beyond their net's memory: a warning, and no other bytes change.
#include "bmrt/subnet_launch.h"
#include "common/command_program.h"
#include "ops/operation.h"

namespace tputwin::testing {
namespace {

using bmodel::bm168x::compiled_base;
using bmodel::bm168x::SubnetMode;

// The net into which a compiler translates an fp32 reverse: it moves whole blocks of 64 channels
// with rows of 9, although the last block has only 2 channels.
const Shape kMap{1, 66, 3, 9}, kBlock{1, 64, 1, 9};
constexpr uint64_t kNeurons = 0x4000, kOut = 0x2000, kLast = 0x3b00, kLastBytes = 0x900;
constexpr uint64_t kPage = 0x1000;

class WrittenBeyond : public Subnets, public ::testing::WithParamInterface<const Chip*> {
 protected:
  WrittenBeyond() : Subnets(*GetParam()), file(chip().name.data()) {
    file.stage().ctx_addr = compiled_base(chip());
    file.stage().ctx_size = kNeurons;
  }
  static const Chip& chip() { return *GetParam(); }
  static uint64_t place(uint64_t offset) {
    return compiled_base(chip()) - chip().global_base + offset;
  }

  // Makes commands: out = in; then the first 64 channels of a row are stored `last` bytes into the
  // neurons.
  void copy_and_write(uint64_t last) {
    CommandProgram program(chip());
    const TensorView map = program.lanes(kMap, DType::f32);
    program.load(map, place(0));
    program.store(map, place(kOut));
    TensorView block = map;
    block.shape = kBlock;
    program.store(block, place(last));
    set(program);
  }
  void set(const CommandProgram& program) {
    TensorT in = f32("in", {1, 66, 3, 9}), out = f32("out", {1, 66, 3, 9});
    in.device_addr = compiled_base(chip());
    out.device_addr = compiled_base(chip()) + kOut;
    file.input(owned(in));
    file.output(owned(out));
    auto& subnet = file.subnet(SubnetMode::tpu, {in}, {out});
    auto group = program.group(file.binary);
    ASSERT_TRUE(group.ok()) << group.status().message();
    subnet.cmd_group.push_back(std::move(*group));
  }
  static Bytes input() {
    std::vector<float> values(kMap.count());
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
    return bytes_of(values);
  }

  // Allocates a block with a pattern that the launch must not change.
  void hold_pattern() {
    bm_device_mem_t& memory = held_.emplace_back();
    const Bytes pattern(kHeld, static_cast<uint8_t>(0xa0 + held_.size()));
    ASSERT_EQ(bm_malloc_device_byte(device, &memory, kHeld), BM_SUCCESS);
    Bytes copy = pattern;
    ASSERT_EQ(bm_memcpy_s2d(device, memory, copy.data()), BM_SUCCESS);
  }
  void expect_patterns() {
    for (size_t i = 0; i < held_.size(); ++i) {
      Bytes bytes(kHeld);
      EXPECT_EQ(bm_memcpy_d2s(device, bytes.data(), held_[i]), BM_SUCCESS);
      EXPECT_EQ(bytes, Bytes(kHeld, static_cast<uint8_t>(0xa1 + i)));
      bm_free_device(device, held_[i]);
    }
  }
  // Launches with patterned blocks before and after the net's memory.
  std::vector<Output> launch_between() {
    for (int i = 0; i < 3; ++i) hold_pattern();
    const bm_net_info_t* net = load_net(file);
    for (int i = 0; i < 3; ++i) hold_pattern();
    Bytes in = input(), out(kMap.count() * 4);
    void *inputs[] = {in.data()}, *outputs[] = {out.data()};
    bm_shape_t shape{};
    const bool done =
        net != nullptr && bmrt_launch_data(runtime, net->name, inputs, net->stages[0].input_shapes,
                                           1, outputs, &shape, 1, /*user_mem=*/true);
    expect_patterns();
    return done ? std::vector<Output>{{shape, out}} : std::vector<Output>{};
  }
  // Returns the count of the warning, and keeps its message.
  uint64_t warned() {
    for (size_t i = 0;; ++i) {
      uint64_t count = 0;
      const char* text = tputwin_warning(i, &count);
      if (text == nullptr) return 0;
      message_ = text;
      if (message_.starts_with("TW-BRT-0112")) return count;
    }
  }

  static constexpr unsigned kHeld = 0x3000;
  SubnetFile file;
  std::string message_;

 private:
  std::vector<bm_device_mem_t> held_;
};

TEST_P(WrittenBeyond, TheLastBlockOfAMap) {
  copy_and_write(kLast);
  const auto out = launch_between();
  ASSERT_EQ(out.size(), 1u) << tputwin_last_error();
  const auto in = values_of<float>(input()), got = values_of<float>(out[0].bytes);
  constexpr size_t kFirst = 64 * 27;  // channels that nothing overwrites
  EXPECT_TRUE(std::equal(in.begin(), in.begin() + kFirst, got.begin()));
  for (size_t i = 0; i < 2 * 27; ++i) EXPECT_EQ(got[kFirst + i], in[i / 9 * 27 + i % 9]) << i;
  EXPECT_EQ(tputwin_error_count(), 0u) << tputwin_last_error();
  EXPECT_EQ(warned(), 1u);
  EXPECT_NE(message_.find("+0x900"), std::string::npos) << message_;
}

TEST_P(WrittenBeyond, UpToTheEndOfAPage) {
  copy_and_write(kNeurons + kPage - kLastBytes);  // all of it after the neurons
  EXPECT_EQ(launch_between().size(), 1u) << tputwin_last_error();
  EXPECT_EQ(warned(), 1u);
}

TEST_P(WrittenBeyond, NoFurther) {
  copy_and_write(kNeurons + kPage - kLastBytes + 4);
  EXPECT_TRUE(launch_between().empty());
  EXPECT_EQ(code(), "TW-BRT-0108");
}

TEST_P(WrittenBeyond, NotIntoOtherMemory) {
  CommandProgram program(chip());
  const TensorView block = program.lanes(kBlock, DType::f32);
  program.load(block, place(0));
  program.store(block, place(uint64_t{1} << 28));  // belongs to no net
  set(program);
  EXPECT_TRUE(launch_between().empty());
  EXPECT_EQ(code(), "TW-BRT-0108");
}

TEST_P(WrittenBeyond, IsAnErrorInStrictMode) {
  copy_and_write(kLast);
  setenv("TPUTWIN_STRICT", "1", 1);
  EXPECT_TRUE(launch_between().empty());
  unsetenv("TPUTWIN_STRICT");
  EXPECT_EQ(code(), "TW-BRT-0112");
}

INSTANTIATE_TEST_SUITE_P(Chips, WrittenBeyond, ::testing::Values(&bm1684(), &bm1684x()),
                         [](const auto& info) { return std::string(info.param->name); });

// Compilers of the BM1684 keep scratch memory of a layer below the weights.
class WrittenBelow : public WrittenBeyond {};

TEST_P(WrittenBelow, IsMemoryOfTheNetsOwn) {
  // Offset from the first byte of global memory.
  constexpr uint64_t kScratch = 0x1fe000;
  CommandProgram program(chip());
  const TensorView map = program.lanes(kMap, DType::f32), again = program.lanes(kMap, DType::f32);
  program.load(map, place(0));
  program.store(map, kScratch);
  program.load(again, kScratch);
  program.store(again, place(kOut));
  set(program);
  const auto out = launch_between();
  ASSERT_EQ(out.size(), 1u) << tputwin_last_error();
  EXPECT_EQ(out[0].bytes, input());
  EXPECT_EQ(warned(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Chips, WrittenBelow, ::testing::Values(&bm1684()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace tputwin::testing
