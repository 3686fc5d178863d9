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
