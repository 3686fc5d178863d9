// Files that are named .npy or .npz hold arrays with their shapes and types.
#include "bmodel/bmodel.h"
#include "tools/bm168x/npy.h"
#include "tools/command.h"
#include "tools/models.h"

namespace tputwin::tools {
namespace {

class ArrayOutputs : public CommandTest {
 protected:
  Array array(const std::string& name) {
    auto read = read_npy(*read_bytes((directory_ / name).string()));
    EXPECT_TRUE(read.ok()) << read.status().message();
    return read.ok() ? *read : Array{};
  }
  std::vector<uint8_t> bytes(const std::string& name) {
    return *read_bytes((directory_ / name).string());
  }
};

TEST_F(ArrayOutputs, OfTheBm1684x) {
  const std::string line = "tputwin run " + recorded("nets-lenet-int8");
  ASSERT_EQ(run(line + " --output out.npy && " + line + " --output out.bin"), 0) << printed_;
  const Array whole = array("out.npy");
  EXPECT_EQ(whole.bytes, bytes("out.bin"));
  EXPECT_GT(whole.shape.size(), 1u);
  EXPECT_EQ(run(line + " --compare out.npy"), 0) << printed_;
  ASSERT_EQ(run(line + " --output out.npz"), 0) << printed_;
  const auto all = read_npz((directory_ / "out.npz").string());
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->begin()->second.shape, whole.shape);
  EXPECT_EQ(all->begin()->second.kind, whole.kind);
}

TEST_F(ArrayOutputs, OfTheBm1880) {
  ASSERT_TRUE(bmodel::write_file(models::tiny(), bmodel::Container::v2_1,
                                 (directory_ / "tiny.bmodel").string())
                  .ok());
  ASSERT_TRUE(write_bytes((directory_ / "in.bin").string(), std::vector<uint8_t>(16, 1)).ok());
  const std::string line = "tputwin run tiny.bmodel --input in.bin --shape 1,2,2,4";
  for (const std::string output : {"out.npy", "out.npz", "out.bin"})
    ASSERT_EQ(run(line + " --output " + output), 0) << printed_;
  const Array one = array("out.npy");
  EXPECT_EQ(one.bytes, bytes("out.bin"));
  EXPECT_EQ(one.shape, (std::vector<uint64_t>{1, 2, 2, 4}));
  EXPECT_EQ(one.kind, 'i');
  EXPECT_EQ(one.element_bytes, 1u);
  const auto all = read_npz((directory_ / "out.npz").string());
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->at("scaled").bytes, one.bytes);
  EXPECT_EQ(run(line + " --compare out.npy"), 0) << printed_;
  EXPECT_EQ(run(line + " --compare out.bin"), 0) << printed_;
}

// Copies an input of bytes and one of floats to the outputs.
bmodel::Model two_inputs() {
  models::Program program;
  for (const uint32_t offset : {0u, 16u, 32u, 48u}) {
    const Shape shape{1, 1, 1, 16};
    const TensorView local = local_tensor(bm1880(), 0, shape, true, DType::i8);
    program.add(DmaTensor{.dst = local, .src = global_tensor(offset, shape)}, isa::kFlagNeuron)
        .add(DmaTensor{.dst = global_tensor(64 + offset, shape), .src = local}, isa::kFlagNeuron);
  }
  bmodel::Model model{.name = "two", .container = bmodel::Container::v2_1};
  model.varieties = {
      {.inputs = {{.shape = {1, 1, 4, 8}, .threshold = 64},
                  {.shape = {1, 1, 2, 4}, .threshold = 1, .fmt = 0, .offset = 32}},
       .cmdbuf = program.bytes(),
       .neuron_size = 128,
       .outputs = {{.name = "a", .shape = {1, 1, 4, 8}, .offset = 64, .threshold = 64},
                   {.name = "b", .shape = {1, 1, 2, 4}, .offset = 96, .threshold = 1, .fmt = 0}}}};
  return model;
}

template <class Value>
Array array_of(char kind, const std::vector<uint64_t>& shape, const std::vector<Value>& values) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  return {kind, sizeof(Value), shape, {bytes, bytes + sizeof(Value) * values.size()}};
}

TEST_F(ArrayOutputs, OfSeveralInputsOfTheBm1880) {
  ASSERT_TRUE(bmodel::write_file(two_inputs(), bmodel::Container::v2_1,
                                 (directory_ / "two.bmodel").string())
                  .ok());
  std::vector<float> reals(32), others(8);
  std::vector<uint8_t> raw(32);
  for (size_t i = 0; i < 32; ++i) reals[i] = static_cast<float>(i) / 2 - 8;
  for (size_t i = 0; i < 32; ++i) raw[i] = static_cast<uint8_t>(i - 16);
  for (size_t i = 0; i < 8; ++i) others[i] = static_cast<float>(i) - 0.25f;
  const Array a = array_of('f', {1, 1, 4, 8}, reals), b = array_of('f', {1, 1, 2, 4}, others);
  const auto write = [&](const std::string& name, const std::vector<uint8_t>& bytes) {
    ASSERT_TRUE(write_bytes((directory_ / name).string(), bytes).ok());
  };
  write("a.npy", write_npy(a));
  write("a.bin", raw);
  write("b.npy", write_npy(b));
  std::vector<uint8_t> whole = raw;
  whole.insert(whole.end(), b.bytes.begin(), b.bytes.end());
  write("all.bin", whole);
  ASSERT_TRUE(write_npz((directory_ / "in.npz").string(), {{"input1", b}, {"input0", a}}).ok());
  ASSERT_TRUE(write_npz((directory_ / "bad.npz").string(), {{"x", b}, {"input0", a}}).ok());
  for (const std::string inputs :
       {"all.bin", "in.npz", "a.npy --input b.npy", "a.bin --input b.npy"})
    EXPECT_EQ(run("tputwin run two.bmodel --input " + inputs + " --compare all.bin"), 0)
        << printed_;
  EXPECT_EQ(run("tputwin run two.bmodel --input a.npy"), 2) << printed_;
  EXPECT_TRUE(prints("2 inputs: input0, input1")) << printed_;
  EXPECT_EQ(run("tputwin run two.bmodel --input b.npy --input a.npy"), 2) << printed_;
  EXPECT_TRUE(prints("input0 = 8 elements")) << printed_;
  EXPECT_EQ(run("tputwin run two.bmodel --input bad.npz"), 2) << printed_;
  EXPECT_TRUE(prints("no array input1")) << printed_;
}

// A buffer of `tputwin kernel run` has bytes only.
TEST_F(ArrayOutputs, OfKernels) {
  const Array source{'f', 4, {2, 2}, std::vector<uint8_t>(16, 0x40)};
  ASSERT_TRUE(write_bytes((directory_ / "in.npy").string(), write_npy(source)).ok());
  const auto parameters = [&](const std::string& dump) {
    const std::string text = R"([{"name": "in", "buffer": {"file": "in.npy", "dump": ")" + dump +
                             R"("}}, {"name": "rows", "type": "i32", "value": 0}])";
    return write_bytes((directory_ / "p.json").string(),
                       {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  };
  const std::string line =
      "tputwin kernel run " TPUTWIN_BIN_DIR "/../lib/test_kernels.so fill --params p.json";
  ASSERT_TRUE(parameters("out.npy").ok());
  EXPECT_EQ(run(line), 3) << printed_;
  EXPECT_TRUE(prints("TW-CLI-0008") && prints("raw bytes")) << printed_;
}

}  // namespace
}  // namespace tputwin::tools
