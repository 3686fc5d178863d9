// Norms that files write as means, squares and roots, before products of bytes.
#include <fstream>

#include "bmnet_onnx/command.h"
#include "bmnet_onnx/support.h"
#include "common/temporary_directory.h"

namespace tputwin::test::written_norms {
namespace {

using ::testing::HasSubstr;

// x / sqrt(mean(x^2) + eps) w, of x less its mean or as it is.
ModelBuilder norm_net(const std::vector<int64_t>& dims, bool is_centered) {
  const int64_t length = dims.back();
  const auto count = static_cast<size_t>(length);
  ModelBuilder b(13);
  b.input("x", dims);
  std::string x = "x";
  if (is_centered) {
    ModelBuilder::set(b.node("ReduceMean", {x}, {"mean"}), "axes", std::vector<int64_t>{-1});
    b.node("Sub", {x, "mean"}, {"centered"});
    x = "centered";
  }
  b.weights("two", {}, {2});
  b.weights("eps", {}, {1e-5f});
  b.node("Pow", {x, "two"}, {"squares"});
  ModelBuilder::set(b.node("ReduceMean", {"squares"}, {"variance"}), "axes",
                    std::vector<int64_t>{-1});
  b.node("Add", {"variance", "eps"}, {"shifted"});
  b.node("Sqrt", {"shifted"}, {"root"});
  b.node("Div", {x, "root"}, {"norm"});
  b.weights("scale", {length}, random_values(count, 3, 0.5f, 1.5f));
  b.node("Mul", {"norm", "scale"}, {"scaled"});
  b.weights("w", {length, length}, random_values(count * count, 4, -1, 1));
  b.node("MatMul", {"scaled", "w"}, {"y"});
  b.output("y");
  return b;
}

TEST(WrittenNorms, KeepTheirRangeBeforeProductsOfBytes) {
  const tputwin::testing::TemporaryDirectory folder;
  const std::string at = folder.path().string() + "/", net = at + "net.onnx", data = at + "x.bin";
  for (const std::vector<int64_t>& dims :
       {std::vector<int64_t>{1, 5, 8}, {5, 8}, {1, 4, 3, 8}, {1, 12, 64}})
    for (const bool is_centered : {true, false})
      for (const std::string chip : {"bm1684", "bm1684x"}) {
        SCOPED_TRACE(chip + (is_centered ? " centered" : "") + " " + std::to_string(dims.size()));
        std::ofstream file(net, std::ios::binary);
        norm_net(dims, is_centered).model.SerializeToOstream(&file);
        file.close();
        size_t count = 1;
        for (const int64_t extent : dims) count *= static_cast<size_t>(extent);
        const std::vector<float> values = random_values(count, 7, -2, 2);
        std::ofstream(data, std::ios::binary)
            .write(reinterpret_cast<const char*>(values.data()),
                   static_cast<std::streamsize>(values.size() * sizeof(float)));
        EXPECT_THAT(tputwin("calibrate " + net + " --chip " + chip + " --data " + data +
                            " --require 0.995 --output " + at),
                    HasSubstr("exit 0"));
      }
}

}  // namespace
}  // namespace tputwin::test::written_norms
