// Tools name the layers of compiled files, and choose one of several stages.
#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "bmodel/open.h"
#include "tools/bm168x/npy.h"
#include "tools/command.h"
#include "tools/models.h"
#include "tools/recorded_steps.h"

namespace tputwin::tools {
namespace {

class FileLayers : public CommandTest {
 protected:
  // Compiles the digits for a chip.
  void compile(const std::string& chip, const std::string& options) {
    ASSERT_EQ(run(fmt::format("tputwin compile --prototxt {0}.prototxt --caffemodel {0}.caffemodel "
                              "--chip {1} {2}",
                              TPUTWIN_SOURCE_DIR "/models/digits", chip, options)),
              0)
        << printed_;
  }
  nlohmann::json json_of(const std::string& line) {
    EXPECT_EQ(run(line + " > out.json"), 0) << line << printed_;
    const auto bytes = read_bytes((directory_ / "out.json").string());
    return nlohmann::json::parse(*bytes);
  }
};

constexpr const char* kChips[] = {"bm1684x", "bm1684"};

TEST_F(FileLayers, AreNamedByEveryTool) {
  for (const std::string chip : kChips) {
    SCOPED_TRACE(chip);
    compile(chip, "-o net.bmodel");
    ASSERT_EQ(run("tputwin info net.bmodel"), 0);
    EXPECT_TRUE(prints("the file has the layers") && prints("    conv1 ")) << printed_;
    ASSERT_EQ(run("tpu_model --info net.bmodel"), 0);
    EXPECT_TRUE(prints("the file has the layers")) << printed_;
    // The commands of all layers are those of the net.
    const auto stage = json_of("tputwin info --json net.bmodel")["nets"][0]["stages"][0];
    EXPECT_EQ(stage["names_layers"], true);
    size_t commands = 0;
    for (const auto& layer : stage["commands"]["layers"]) commands += layer["count"].get<size_t>();
    EXPECT_EQ(commands, stage["commands"]["count"]);
    for (const std::string line :
         {"tputwin timing --text -- net.bmodel", "tputwin timing -- net.bmodel"}) {
      if (run(line) != 0) continue;
      EXPECT_TRUE(prints("of layer conv1")) << line << printed_;
    }
    ASSERT_EQ(run("TPUTWIN_TIMING=run.jsonl tputwin run net.bmodel && cat run.jsonl"), 0);
    EXPECT_TRUE(prints("\"layer\":\"conv1\"")) << printed_;
    EXPECT_FALSE(prints("subnet 0")) << printed_;
    ASSERT_EQ(run("tputwin check --numbers numbers.txt net.bmodel && cat numbers.txt"), 0);
    EXPECT_TRUE(prints(" conv1 ")) << printed_;
    const auto account = json_of("tputwin run --json --account 2 net.bmodel")["account"];
    ASSERT_FALSE(account["layers"].empty());
    std::set<std::string> layers;
    for (const auto& layer : account["layers"]) layers.insert(layer["layer"].get<std::string>());
    EXPECT_TRUE(layers.contains("conv1"));
    ASSERT_EQ(run("tputwin run --account 2 net.bmodel"), 0);
    EXPECT_TRUE(prints("\nlayer ") && prints("\nconv1 ")) << printed_;
    ASSERT_EQ(run("echo 'break layer conv2\ncontinue\nquit' > lines; tputwin debug net.bmodel "
                  "< lines"),
              0)
        << printed_;
    EXPECT_TRUE(prints("layer conv2 (")) << printed_;
    ASSERT_EQ(run("tputwin record -o run.tprec -- net.bmodel && tputwin debug run.tprec < lines"),
              0)
        << printed_;
    EXPECT_TRUE(prints("layer conv2 (")) << printed_;
  }
}

TEST_F(FileLayers, AreNamedByTheAccountOfTheBm1880) {
  bmodel::Model model = models::tiny();
  model.varieties.resize(1);
  model.varieties[0].layers.append("scale", 3);
  model.varieties[0].layers.append("relu", 2);
  ASSERT_TRUE(write_bytes((directory_ / "net.bmodel").string(),
                          *bmodel::write(model, bmodel::Container::v2_1))
                  .ok());
  const std::vector<uint8_t> input(model.varieties[0].input_bytes(), 1);
  ASSERT_TRUE(write_bytes((directory_ / "in.bin").string(), input).ok());
  const auto account =
      json_of("tputwin run --json --account 2 net.bmodel --input in.bin")["account"];
  std::set<std::string> layers;
  for (const auto& layer : account["layers"]) layers.insert(layer["layer"].get<std::string>());
  EXPECT_EQ(layers, (std::set<std::string>{"relu", "scale"})) << account.dump();
}

// Numbers begin again where the host has computed in between.
TEST(LayerFinder, TakesTheNearestInstructionOfANumber) {
  std::vector<Instruction> program;
  bmodel::LayerRuns runs;
  for (const char* layer : {"a", "b", "c", "d"})
    for (uint32_t id = 1; id <= 2; ++id) {
      program.push_back({.engine = Engine::compute, .id = id});
      program.push_back({.engine = Engine::dma, .id = id});
      runs.append(layer, 2);
    }
  LayerFinder finder(program, runs);
  for (int repeat = 0; repeat < 2; ++repeat)
    for (const char* layer : {"a", "b", "c", "d"})
      for (const size_t i : {0, 2, 1, 3}) EXPECT_EQ(finder(program[i]), layer) << i;
  Instruction unknown;
  unknown.id = 3;
  EXPECT_EQ(finder(unknown), "");
}

// The first convolution makes infinities, of which a later one makes NaN.
TEST_F(FileLayers, AreNamedByFindings) {
  const std::vector<float> large(64, 3e38f);
  Array array{.shape = {1, 1, 8, 8}, .bytes = std::vector<uint8_t>(64 * sizeof(float))};
  std::memcpy(array.bytes.data(), large.data(), array.bytes.size());
  ASSERT_TRUE(write_bytes((directory_ / "large.npy").string(), write_npy(array)).ok());
  for (const std::string chip : kChips) {
    SCOPED_TRACE(chip);
    compile(chip, "-o net.bmodel");
    EXPECT_EQ(run("tputwin check -- net.bmodel --input large.npy"), 6);
    EXPECT_TRUE(prints("nan-made") && prints("\n      layer conv")) << printed_;
    EXPECT_EQ(run("tputwin record -o run.tprec -- net.bmodel --input large.npy && "
                  "tputwin check --json findings.json run.tprec; cat findings.json"),
              0);
    EXPECT_TRUE(prints("nan-made") && prints("\n      layer conv")) << printed_;
    EXPECT_TRUE(prints("\"layer\": \"conv") || prints("\"layer\":\"conv")) << printed_;
  }
}

// Slices of layers in one group take turns.
TEST_F(FileLayers, StopTheDebuggerOnce) {
  for (const std::string chip : kChips) {
    SCOPED_TRACE(chip);
    compile(chip, "--batch 200 -o net.bmodel");
    const std::string debug = " | tputwin debug net.bmodel | grep -c '^#.*layer conv1 ('";
    EXPECT_EQ(run("yes layer | head -40" + debug), 0);
    EXPECT_EQ(printed_, "1\n");
    EXPECT_EQ(run("(echo break layer conv1; yes continue | head -40)" + debug), 0);
    EXPECT_EQ(printed_, "1\n");
  }
}

TEST_F(FileLayers, AreLeftOutOnRequest) {
  for (const std::string chip : kChips) {
    SCOPED_TRACE(chip);
    compile(chip, "-o named.bmodel");
    compile(chip, "--no-layer-names -o bare.bmodel");
    ASSERT_EQ(run("tputwin info bare.bmodel"), 0);
    EXPECT_TRUE(prints("does not have the layers")) << printed_;
    EXPECT_FALSE(prints("conv1")) << printed_;
    const auto named = bmodel::open_file((directory_ / "named.bmodel").string());
    const auto bare = bmodel::open_file((directory_ / "bare.bmodel").string());
    ASSERT_TRUE(named.ok() && bare.ok());
    EXPECT_TRUE(std::ranges::equal(named->bm168x()->binary, bare->bm168x()->binary));
    ASSERT_EQ(run("tputwin run named.bmodel --output a.bin && tputwin run bare.bmodel --output "
                  "b.bin && cmp a.bin b.bin"),
              0)
        << printed_;
  }
}

TEST_F(FileLayers, AreKeptBesideFilesOfOthers) {
  compile("bm1684x", "--name own -o own.bmodel");
  const std::string other = recorded("nets-lenet-int8");
  ASSERT_EQ(run("tpu_model --combine own.bmodel " + other + " -o all.bmodel"), 0) << printed_;
  std::set<bool> names;
  const auto model = json_of("tputwin info --json all.bmodel");
  for (const auto& net : model["nets"])
    for (const auto& stage : net["stages"]) {
      names.insert(stage["names_layers"].get<bool>());
      EXPECT_EQ(stage["names_layers"].get<bool>(), net["name"] == "own");
    }
  EXPECT_EQ(names.size(), 2u);
  ASSERT_EQ(run("tputwin timing -- all.bmodel --net own"), 0);
  EXPECT_TRUE(prints("of layer conv1")) << printed_;
}

// ---- Stages ----

const char* const kDefault = "has 2 stages; stage 0 is taken";

TEST_F(FileLayers, TheFirstStageIsTheDefaultOfEveryTool) {
  compile("bm1684x", "--shape 1,1,8,8 --shape 3,1,8,8 -o net.bmodel");
  for (const std::string line :
       {"tputwin run net.bmodel", "tputwin record -o run.tprec -- net.bmodel",
        "tputwin profile --html page.html -- net.bmodel", "tputwin debug net.bmodel"}) {
    EXPECT_EQ(run(line), 0) << line << printed_;
    EXPECT_TRUE(prints(kDefault)) << line << printed_;
    EXPECT_EQ(printed_.find(kDefault), printed_.rfind(kDefault)) << line << printed_;
  }
  EXPECT_EQ(run("tputwin run net.bmodel --stage 0"), 0);
  EXPECT_FALSE(prints(kDefault)) << printed_;
}

TEST_F(FileLayers, TheInputChoosesTheStage) {
  compile("bm1684x", "--shape 1,1,8,8 --shape 3,1,8,8 -o net.bmodel");
  const auto write = [&](const std::string& name, const std::vector<uint64_t>& dims) {
    uint64_t count = 1;
    for (const uint64_t d : dims) count *= d;
    const Array array{.shape = dims, .bytes = std::vector<uint8_t>(count * sizeof(float))};
    ASSERT_TRUE(write_bytes((directory_ / (name + ".npy")).string(), write_npy(array)).ok());
    ASSERT_TRUE(write_bytes((directory_ / (name + ".bin")).string(), array.bytes).ok());
    ASSERT_TRUE(write_npz((directory_ / (name + ".npz")).string(), {{"data", array}}).ok());
  };
  write("one", {1, 1, 8, 8});
  write("three", {3, 1, 8, 8});
  write("flat", {3, 64});
  write("other", {2, 1, 8, 8});
  for (const std::string kind : {".npy", ".npz", ".bin"})
    for (const auto& [name, stage] : {std::pair("one", 0), {"three", 1}, {"flat", 1}}) {
      EXPECT_EQ(run(fmt::format("tputwin run net.bmodel --input {}{}", name, kind)), 0) << printed_;
      EXPECT_TRUE(prints(fmt::format(" stage {} on the BM1684X", stage))) << name << printed_;
      EXPECT_FALSE(prints(kDefault)) << printed_;
    }
  for (const std::string tool : {"record -o run.tprec --", "profile --html page.html --"})
    EXPECT_EQ(run("tputwin " + tool + " net.bmodel --input three.npy"), 0) << printed_;
  for (const std::string kind : {".npy", ".npz", ".bin"}) {
    EXPECT_EQ(run("tputwin run net.bmodel --input other" + kind), 2) << printed_;
    EXPECT_TRUE(prints("stage 0 for (1,1,8,8); stage 1 for (3,1,8,8)")) << printed_;
  }
}

}  // namespace
}  // namespace tputwin::tools
