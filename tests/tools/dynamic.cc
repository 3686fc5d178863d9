// Dynamic nets have no price, no verdict and no recording; every tool reports that.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "bmodel/bm168x/model.h"
#include "common/temporary_directory.h"

namespace tputwin::tools {
namespace {

namespace fs = std::filesystem;
namespace b168x = bmodel::bm168x;
using testing::TemporaryDirectory;

constexpr int kFailed = 4;

class Dynamic : public ::testing::Test {
 protected:
  // Writes the recorded net as dynamic; optionally adds it as static.
  std::string make(bool with_static) {
    const auto bytes =
        read_bytes(TPUTWIN_SOURCE_DIR "/tests/conformance/bm168x/bm1684x/nets-lenet-int8.bmodel");
    auto file = *b168x::read(*bytes);
    if (with_static) file.model.net.push_back(std::make_unique<b168x::NetT>(*file.model.net[0]));
    file.model.net[0]->name = "moving";
    file.model.net[0]->parameter[0]->sub_net[0]->is_dynamic = 1;
    const std::string path = (directory_ / (with_static ? "both.bmodel" : "net.bmodel")).string();
    EXPECT_TRUE(write_bytes(path, b168x::write(file.model, file.binary)).ok());
    return path;
  }
  // Runs a tool; keeps its output.
  int run(const std::string& command) {
    const std::string output = (directory_ / "printed.txt").string();
    const int code =
        std::system((TPUTWIN_BIN_DIR "/" + command + " </dev/null >" + output + " 2>&1").c_str());
    const auto bytes = read_bytes(output);
    printed_.assign(bytes->begin(), bytes->end());
    return WEXITSTATUS(code);
  }
  bool prints(std::string_view text) const { return printed_.find(text) != printed_.npos; }

  const TemporaryDirectory directory_;
  std::string printed_;
};

TEST_F(Dynamic, InfoListsThemWithoutAPrice) {
  const std::string net = make(false);
  EXPECT_EQ(run("tputwin info " + net), 0);
  EXPECT_TRUE(prints("not priced: dynamic")) << printed_;
  EXPECT_TRUE(prints("net moving")) << printed_;
  EXPECT_FALSE(prints("predicted")) << printed_;
  EXPECT_EQ(run("tputwin info --json " + net), 0);
  EXPECT_TRUE(prints("\"not_priced\": \"dynamic\"")) << printed_;
  EXPECT_FALSE(prints("predicted")) << printed_;
  EXPECT_EQ(run("tpu_model --info " + net), 0);
  EXPECT_TRUE(prints("not priced: dynamic")) << printed_;
}

TEST_F(Dynamic, OtherToolsEndWithAnError) {
  const std::string net = make(false), folder = directory_.path().string();
  const std::string tools[] = {"tputwin run " + net,
                               "tputwin timing -- " + net,
                               "tputwin whatif --ddr 28 -- " + net,
                               "tputwin check -- " + net,
                               "tputwin check -- " + net + " --net moving",
                               "tputwin record -o " + folder + "/run.tprec -- " + net,
                               "tputwin disasm " + net,
                               "tputwin profile --html " + folder + "/page.html -- " + net,
                               "tputwin lift " + net + " -o " + folder + "/kernel.c",
                               "tputwin diff " + net + " " + net,
                               "tputwin debug -- " + net,
                               "bmrt_test --bmodel " + net};
  for (const std::string& tool : tools) {
    EXPECT_EQ(run(tool), kFailed) << tool << "\n" << printed_;
    EXPECT_TRUE(prints("it is dynamic")) << tool << "\n" << printed_;
    for (const char* verdict : {"no findings", "recorded ", "predicted ", "wrote "})
      EXPECT_FALSE(prints(verdict)) << tool << "\n" << printed_;
  }
  for (const char* file : {"run.tprec", "page.html", "kernel.c"})
    EXPECT_FALSE(fs::exists(directory_ / file)) << file;
}

// The tools still handle the static nets of a file.
TEST_F(Dynamic, WithStaticOnes) {
  const std::string both = make(true);
  EXPECT_EQ(run("tputwin info " + both), 0);
  EXPECT_TRUE(prints("not priced: dynamic") && prints("predicted")) << printed_;
  EXPECT_EQ(run("tputwin timing -- " + both), 0);
  EXPECT_TRUE(prints("not priced: ") && prints("it is dynamic")) << printed_;
  EXPECT_EQ(run("tputwin disasm " + both), 0);
  EXPECT_TRUE(prints("; net moving stage 0: it is dynamic")) << printed_;
  EXPECT_EQ(run("tputwin run " + both + " --net lenet-int8"), 0) << printed_;
  EXPECT_EQ(run("tputwin check -- " + both + " --net lenet-int8"), 0) << printed_;
  EXPECT_EQ(run("tputwin check -- " + both + " --net moving"), kFailed) << printed_;
  EXPECT_FALSE(prints("no findings")) << printed_;
}

}  // namespace
}  // namespace tputwin::tools
