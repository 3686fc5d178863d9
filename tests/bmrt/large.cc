// A file of 100 MB: its weights are mapped from the file, not copied.
#include <filesystem>
#include <fstream>

#include "bmrt/support.h"
#include "common/built_bmodel.h"
#include "common/temporary_directory.h"

namespace tputwin::testing {
namespace {

// Returns the process's memory that is not mapped from files.
uint64_t own_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) return std::stoull(line.substr(8)) << 10;
  return 0;
}

TEST_F(Bmrt, MapsTheWeightsOfALargeFile) {
  const TemporaryDirectory folder;
  const std::string path = folder.path() / "resnet50.bmodel";
  uint64_t file_bytes = 0, neuron_bytes = 0;
  {
    BuiltBm1684x net("resnet50", DType::f32);
    const auto file = net.file(add_resnet50(net));
    ASSERT_TRUE(file.ok()) << file.error().message();
    ASSERT_TRUE(write_bytes(path, *file).ok());
    file_bytes = file->size(), neuron_bytes = net.neuron_bytes();
  }
  EXPECT_GT(file_bytes, 100u * 1000 * 1000);
  const uint64_t before = own_bytes();
  ASSERT_NE(before, 0u);
  ASSERT_TRUE(bmrt_load_bmodel(runtime, path.c_str())) << tputwin_last_error();
  EXPECT_LT(own_bytes() - before, file_bytes / 20);
  const bm_net_info_t* net = bmrt_get_network_info(runtime, "resnet50");
  ASSERT_NE(net, nullptr);
  for (int run = 0; run < 3; ++run) run_data(*net, 0);
  // packed weights and neurons
  EXPECT_LT(own_bytes() - before, (file_bytes + neuron_bytes) / 5 * 7);
}

}  // namespace
}  // namespace tputwin::testing
