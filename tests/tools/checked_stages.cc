// tputwin check of bmodels with several stages, and runs on made-up data.
#include <fmt/format.h>

#include <fstream>

#include "bmodel/subnets168x.h"
#include "tools/command.h"

namespace tputwin::tools {
namespace {

using namespace bmodel::bm168x;
using samples::host_tensor;

class CheckedStages : public CommandTest {
 protected:
  std::string written(const samples::SubnetFile& file, const std::string& name) {
    const std::vector<uint8_t> bytes = file.bytes();
    std::ofstream(directory_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return name;
  }
};

TEST_F(CheckedStages, AreAllUnlessOneIsChosen) {
  const std::string model = recorded("nets-stages");
  EXPECT_EQ(run("tputwin check " + model), 0) << printed_;
  EXPECT_TRUE(prints(" stage 0 on the BM1684X") && prints(" stage 1 on the BM1684X")) << printed_;
  EXPECT_TRUE(prints("tputwin check: no findings")) << printed_;
  for (const std::string& line :
       {"tputwin check --stage 1 " + model, "tputwin check -- " + model + " --stage 1"}) {
    EXPECT_EQ(run(line), 0) << printed_;
    EXPECT_FALSE(prints(" stage 0 on")) << line << printed_;
    EXPECT_TRUE(prints(" stage 1 on")) << line << printed_;
  }
  EXPECT_EQ(run("tputwin check --stage 7 " + model), 2);
  EXPECT_TRUE(prints("stage 7")) << printed_;
  EXPECT_EQ(run("tputwin check --net nothing " + model), 2) << printed_;
}

TEST_F(CheckedStages, AreOfModelsOnly) {
  EXPECT_EQ(run("tputwin check --stage 1 -- true"), 2);
  EXPECT_TRUE(prints("TW-CLI-0011") && prints("--stage = 1")) << printed_;
  EXPECT_EQ(run("tputwin run --all-stages --stage 0 " + recorded("nets-stages")), 2) << printed_;
}

// Rows of positions, of which one is an index: as a graph's edges in a net of PyTorch.
TEST_F(CheckedStages, MadeUpPositionsPassThroughMovesAndSums) {
  samples::SubnetFile file;
  const auto edges = [] { return *host_tensor("edges", {2, 6}); };
  const auto zero = [] { return *host_tensor("zero", {1}); };
  const auto row = [] { return *host_tensor("row", {1, 6}); };
  const auto whole = [] { return *host_tensor("whole", {1, 6}); };
  const auto sum = [] { return *host_tensor("sum", {1, 6}); };
  file.input(host_tensor("table", {5, 7}));
  file.input(host_tensor("edges", {2, 6}));
  file.input(host_tensor("zero", {1}));
  file.cpu("gather axis=0", {edges(), zero()}, {row()});
  file.cpu("unary op=trunc", {row()}, {whole()});
  file.cpu("binary op=add", {whole(), row()}, {sum()});
  file.cpu("gather axis=0", {*host_tensor("table", {5, 7}), sum()},
           {*host_tensor("out", {1, 6, 7})});
  file.output(host_tensor("out", {1, 6, 7}));
  const std::string name = written(file, "edges.bmodel");
  EXPECT_EQ(run("tputwin run " + name), 0) << printed_;
  EXPECT_EQ(run("tputwin check " + name), 0) << printed_;
}

// Exponents are no whole numbers, whatever the made-up values are.
TEST_F(CheckedStages, ARunWithoutSamplesSaysSo) {
  samples::SubnetFile file;
  file.input(host_tensor("x", {6}));
  file.cpu("unary op=sigmoid", {*host_tensor("x", {6})}, {*host_tensor("y", {6})});
  file.input(host_tensor("table", {5, 7}));
  file.cpu("gather axis=0", {*host_tensor("table", {5, 7}), *host_tensor("y", {6})},
           {*host_tensor("out", {6, 7})});
  file.output(host_tensor("out", {6, 7}));
  EXPECT_EQ(run("tputwin run " + written(file, "sigmoid.bmodel")), 4) << printed_;
  EXPECT_TRUE(prints("TW-BRT-0221") && prints("no --input was given")) << printed_;
}

// Positions from -1 to 1, or random bits, would be refused.
TEST_F(CheckedStages, MadeUpPositionsAreValid) {
  for (const ElementType type : {ElementType::f32, ElementType::i32}) {
    samples::SubnetFile file;
    file.input(host_tensor("table", {5, 7}));
    file.input(host_tensor("ids", {6}, type));
    file.cpu("unsqueeze axes=0", {*host_tensor("ids", {6}, type)},
             {*host_tensor("row", {1, 6}, type)});
    file.cpu("gather axis=0", {*host_tensor("table", {5, 7}), *host_tensor("row", {1, 6}, type)},
             {*host_tensor("out", {1, 6, 7})});
    file.output(host_tensor("out", {1, 6, 7}));
    const std::string name = written(file, "gather.bmodel");
    EXPECT_EQ(run("tputwin run " + name), 0) << printed_;
    EXPECT_TRUE(prints("output  out fp32(1,6,7): ")) << printed_;
  }
}

TEST_F(CheckedStages, MadeUpBranchesExist) {
  samples::SubnetFile file;
  file.input(host_tensor("x", {4}));
  file.input(host_tensor("which", {1}));
  file.branch({*host_tensor("x", {4}), *host_tensor("which", {1})},
              {*host_tensor("a", {4}), *host_tensor("b", {4})}, {0, 0}, {0, 1}, {1, 2});
  file.cpu("unary op=abs", {*host_tensor("a", {4})}, {*host_tensor("c", {4})}).next_subnet_ids = {
      3};
  file.cpu("unary op=neg", {*host_tensor("b", {4})}, {*host_tensor("d", {4})});
  file.merge({*host_tensor("c", {4}), *host_tensor("d", {4})}, {*host_tensor("out", {4})},
             {{0, 1}});
  file.output(host_tensor("out", {4}));
  EXPECT_EQ(run("tputwin run " + written(file, "branch.bmodel")), 0) << printed_;
}

// Numbers from -1 to 1 are in no image.
TEST_F(CheckedStages, MadeUpRegionsAreInTheMaps) {
  for (const std::string kind :
       {"roi_pooling pooled_h=2 pooled_w=2 spatial_scale=0.0625",
        "psroi_pooling group_size=2 output_dim=1 spatial_scale=0.5",
        "roi_align output_height=2 output_width=2 sampling_ratio=2 spatial_scale=0.25"}) {
    samples::SubnetFile file;
    const uint64_t channels = kind.starts_with("psroi") ? 1 : 4;
    file.input(host_tensor("maps", {3, 4, 6, 5}));
    file.input(host_tensor("rows", {7, 5, 1, 1}));
    file.cpu("reshape shape=7,5", {*host_tensor("rows", {7, 5, 1, 1})},
             {*host_tensor("regions", {7, 5})});
    file.cpu(kind, {*host_tensor("maps", {3, 4, 6, 5}), *host_tensor("regions", {7, 5})},
             {*host_tensor("out", {7, channels, 2, 2})});
    file.output(host_tensor("out", {7, channels, 2, 2}));
    EXPECT_EQ(run("tputwin run " + written(file, "regions.bmodel")), 0) << kind << printed_;
  }
}

// The commands that did not run were not checked.
TEST_F(CheckedStages, AFailedRunIsNotWithoutFindings) {
  samples::SubnetFile file(*read(*read_bytes(recorded("nets-lenet-int8"))));
  const TensorT logits = *file.stage().output_tensor[0];
  file.stage().sub_net[0]->next_subnet_ids = {};
  file.cpu("roi_pooling pooled_h=1 pooled_w=1 spatial_scale=0", {logits, logits},
           {*host_tensor("out", {2, 10, 1, 1})});
  file.output(host_tensor("out", {2, 10, 1, 1}));
  EXPECT_NE(run("tputwin check " + written(file, "failing.bmodel")), 0) << printed_;
  EXPECT_FALSE(prints("tputwin check: no findings")) << printed_;
  EXPECT_TRUE(prints("failed with exit code 4; until then no findings")) << printed_;
}

}  // namespace
}  // namespace tputwin::tools
