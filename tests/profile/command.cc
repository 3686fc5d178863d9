// Profiles of programs and models.
#include "profile/command.h"

#include <bmkernel/bm1880/bmkernel_1880.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.h"
#include "bmodel/bmodel.h"

namespace tputwin::insight::testing {

using nlohmann::json;
using ::testing::HasSubstr;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Command::SetUp() {
  directory_ = std::filesystem::temp_directory_path() / fmt::format("tputwin-profile-{}", getpid());
  std::filesystem::create_directories(directory_);
}

int Command::run(const std::string& arguments) {
  return std::system(fmt::format("cd {} && {}/tputwin profile {} >out 2>err", directory_.string(),
                                 TPUTWIN_BIN_DIR, arguments)
                         .c_str());
}

namespace {

// A model that copies its input to its output.
bmodel::Model moving_model() {
  std::vector<uint8_t> buffer(1 << 16);
  bmk1880_info_t info{};
  info.chip_version = 1880;
  info.cmdbuf_size = static_cast<u32>(buffer.size());
  info.cmdbuf = buffer.data();
  bmk1880_context_t* const context = bmk1880_register(&info);
  tensor_lmem* const tensor = bmk1880_tl_alloc(context, shape_t4(1, 3, 4, 4), FMT_I8, CTRL_AL);
  bmk1880_gdma_load(context, tensor, 0, CTRL_NEURON);
  bmk1880_gdma_store(context, tensor, 48, CTRL_NEURON);
  u32 size = 0;
  const u8* const commands = bmk1880_acquire_cmdbuf(context, &size);
  bmodel::Variety variety{.inputs = {{.shape = {1, 3, 4, 4}}},
                          .cmdbuf = {commands, commands + size},
                          .neuron_size = 96,
                          .outputs = {{.name = "out", .shape = {1, 3, 4, 4}, .offset = 48}}};
  variety.layers.append("layer-in", 1);
  variety.layers.append("layer-out", 1);
  bmk1880_tl_free(context, tensor);
  bmk1880_cleanup(context);
  return {.name = "moving", .version = "2.1", .varieties = {std::move(variety)}};
}

TEST_F(Command, NamesLayersOfModels) {
  const bmodel::Model model = moving_model();
  const std::string path = (directory_ / "moving.bmodel").string();
  ASSERT_TRUE(bmodel::write_file(model, bmodel::Container::v2_1, path).ok());
  ASSERT_TRUE(write_bytes((directory_ / "in.bin").string(), std::vector<uint8_t>(48, 1)).ok());
  ASSERT_EQ(run("--trace t.json -- " + path + " --input in.bin"), 0) << file("err");
  for (const char* part :
       {"moving.bmodel on BM1880", "\n  layer-in ", "\n  layer-out ", "\n  moving "})
    EXPECT_THAT(file("err"), HasSubstr(part));
  EXPECT_THAT(file("t.json"), HasSubstr("\"layer-in\""));
}

TEST_F(Command, NamesSubnetsOfModels) {
  ASSERT_EQ(run("-- " TPUTWIN_SOURCE_DIR
                "/tests/conformance/bm168x/bm1684x/nets-resnet-fp16.bmodel --stage 0"),
            0)
      << file("err");
  EXPECT_THAT(file("err"), HasSubstr("nets-resnet-fp16.bmodel on BM1684X"));
  EXPECT_THAT(file("err"), HasSubstr("\n  stage 0 subnet 0: out0 "));
}

TEST_F(Command, WritesAllFiles) {
  ASSERT_EQ(run("--trace t.json -- " TPUTWIN_BIN_DIR "/okk_plus_one"), 0) << file("err");
  EXPECT_THAT(file("err"), HasSubstr("tputwin profile: okk_plus_one on BM1684, predicted "));
  EXPECT_THAT(file("out"), HasSubstr("plus_one"));
  EXPECT_THAT(file("profile.html"), HasSubstr("\"plus_one_parallel\""));
  const json trace = json::parse(file("t.json"));
  EXPECT_GT(trace["traceEvents"].size(), 100u);
}

// docs/profile.md shows what is printed. TPUTWIN_REBASE=1 writes it there.
TEST_F(Command, PrintsWhatThePageShows) {
  ASSERT_EQ(run("-- " TPUTWIN_BIN_DIR "/okk_plus_one"), 0) << file("err");
  std::string expected, line;
  for (std::istringstream lines(file("err")); std::getline(lines, line);)
    if (!line.starts_with("wrote ")) expected += "    " + line + "\n";
  const std::filesystem::path path = TPUTWIN_SOURCE_DIR "/docs/profile.md";
  std::string page = text_of(path);
  const size_t begin = page.find("    tputwin profile: okk_plus_one on BM1684");
  ASSERT_NE(begin, std::string::npos);
  const size_t end = page.find("\n\n", begin) + 1;
  const char* const rebase = std::getenv("TPUTWIN_REBASE");
  if (rebase != nullptr && std::string_view(rebase) == "1") {
    page.replace(begin, end - begin, expected);
    std::ofstream(path) << page;
    return;
  }
  EXPECT_EQ(page.substr(begin, end - begin), expected);
}

TEST_F(Command, RefusesWhatUsesNoDevice) {
  EXPECT_NE(run("-- /bin/true"), 0);
  EXPECT_THAT(file("err"), HasSubstr("it sent no command to a device"));
}

}  // namespace
}  // namespace tputwin::insight::testing
