// Names of layers in files of the BM1684 and BM1684X: they are kept, and inconsistent ones are
// refused.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "base/errors/bmodel.h"
#include "bmodel/bm168x/layers.h"
#include "bmodel/bm168x/parts.h"
#include "bmodel/samples168x.h"

namespace tputwin::bmodel::bm168x {
namespace {

constexpr size_t kHeader = 64;

CmdGroupT& group_of(ModelT& model, size_t net, size_t stage, size_t subnet) {
  return *model.net[net]->parameter[stage]->sub_net[subnet]->cmd_group[0];
}

std::unique_ptr<LayersT> names(const std::string& name) {
  auto layers = std::make_unique<LayersT>();
  layers->name = {"before " + name, name};
  layers->bdc = {LayerRun(1, 1)};
  layers->gdma = {LayerRun(0, 1)};
  return layers;
}

// Every subnet of the samples names its layers after itself.
ModelT named_model() {
  ModelT model = samples::model168x();
  for (auto& net : model.net)
    for (size_t i = 0; i < net->parameter.size(); ++i)
      for (auto& subnet : net->parameter[i]->sub_net)
        subnet->cmd_group[0]->layers =
            names(net->name + std::to_string(i) + "." + std::to_string(subnet->id));
  return model;
}

std::string name_of(ModelT& model, size_t net, size_t stage, size_t subnet, Engine engine) {
  const CommandLayers layers(group_of(model, net, stage, subnet));
  return std::string(layers.of({.op = {}, .engine = engine, .id = 1, .wait = 0}));
}

TEST(Layers168x, AreRead) {
  const auto bytes = write(named_model(), samples::binary168x());
  auto file = read(bytes);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(name_of(file->model, 0, 1, 1, Engine::compute), "first1.1");
  EXPECT_EQ(name_of(file->model, 1, 0, 0, Engine::dma), "before second0.0");
  EXPECT_EQ(write(file->model, file->binary), bytes);
  EXPECT_TRUE(names_layers(*file->model.net[0]->parameter[0]));
  const CommandLayers layers(group_of(file->model, 0, 0, 0));
  for (const uint32_t id : {0u, 2u})
    EXPECT_EQ(layers.of({.op = {}, .engine = Engine::compute, .id = id, .wait = 0}), "");
}

TEST(Layers168x, WithoutThemAFileIsAsBefore) {
  ModelT model = named_model();
  for (auto& net : model.net)
    for (auto& stage : net->parameter)
      for (auto& subnet : stage->sub_net) subnet->cmd_group[0]->layers.reset();
  EXPECT_EQ(write(model, samples::binary168x()), samples::file168x());
  EXPECT_FALSE(names_layers(*model.net[0]->parameter[0]));
}

TEST(Layers168x, AreKeptWhenFilesAreDividedAndCombined) {
  const auto bytes = write(named_model(), samples::binary168x());
  auto file = read(bytes);
  ASSERT_TRUE(file.ok());
  OwnFile alone = stage_alone(*file, 0, 1);
  EXPECT_EQ(name_of(alone.model, 0, 0, 1, Engine::compute), "first1.1");
  ModelT others = samples::model168x();
  for (auto& net : others.net) net->name += " of others";
  const auto plain = write(others, samples::binary168x());
  auto other = read(plain);
  ASSERT_TRUE(other.ok());
  for (const bool own_first : {true, false}) {
    const std::vector<const File*> files{own_first ? &*file : &*other,
                                         own_first ? &*other : &*file};
    auto all = combine(files);
    ASSERT_TRUE(all.ok()) << all.status().message();
    const size_t own = own_first ? 0 : 2;
    EXPECT_EQ(name_of(all->model, own, 1, 1, Engine::compute), "first1.1");
    EXPECT_EQ(name_of(all->model, 2 - own, 1, 1, Engine::compute), "");
  }
}

TEST(Layers168x, InconsistentOnesAreRefused) {
  const auto refused = [](const std::function<void(LayersT&)>& change) -> Error {
    ModelT model = named_model();
    change(*group_of(model, 1, 0, 0).layers);
    const auto bytes = write(model, samples::binary168x());
    auto file = read(bytes);
    EXPECT_FALSE(file.ok());
    return file.ok() ? Error(errors::mod_frame) : file.error();
  };
  const std::string place = "net[1].parameter[0].sub_net[0].cmd_group[0].layers.";
  for (const LayerRun& run : {LayerRun(2, 1), LayerRun(UINT32_MAX, 1), LayerRun(0, 0),
                              LayerRun(0, 2), LayerRun(0, UINT32_MAX)}) {
    const Error bdc = refused([&](LayersT& layers) { layers.bdc = {run}; });
    EXPECT_EQ(bdc.id(), errors::mod_layers);
    EXPECT_EQ(bdc.argument(), place + "bdc");
    const Error gdma = refused([&](LayersT& layers) { layers.gdma = {LayerRun(0, 1), run}; });
    EXPECT_EQ(gdma.id(), errors::mod_layers);
    EXPECT_EQ(gdma.argument(), place + "gdma");
  }
  const Error name = refused([](LayersT& layers) { layers.name[1] = "\xff\xfe"; });
  EXPECT_EQ(name.id(), errors::mod_name);
  EXPECT_EQ(name.argument(), place + "name[1]");
}

// Fields of the command group that another compiler may have, where flatc's reflection would read
// one byte: inside the message they are ignored, beyond it nothing is read.
TEST(Layers168x, FieldsThatAreLeftToTheVendorAreIgnored) {
  const auto bytes = write(named_model(), samples::binary168x());
  const auto* table = reinterpret_cast<const flatbuffers::Table*>(GetModel(&bytes[kHeader])
                                                                      ->net()
                                                                      ->Get(0)
                                                                      ->parameter()
                                                                      ->Get(0)
                                                                      ->sub_net()
                                                                      ->Get(0)
                                                                      ->cmd_group()
                                                                      ->Get(0));
  const auto vtable = static_cast<size_t>(table->GetVTable() - bytes.data());
  for (const size_t field : {size_t{7}, size_t{31}})
    for (const uint16_t offset : {uint16_t{4}, uint16_t{0xffff}}) {
      auto changed = bytes;
      std::memcpy(&changed[vtable + 4 + 2 * field], &offset, sizeof offset);
      auto file = read(changed);
      ASSERT_EQ(file.ok(), offset == 4) << file.status().message();
      if (!file.ok()) {
        EXPECT_EQ(file.error().id(), errors::mod_tables);
        continue;
      }
      EXPECT_EQ(write(file->model, file->binary), bytes);
      const auto json = nlohmann::json::parse(message_text(changed));
      const auto& group = json["net"][0]["parameter"][0]["sub_net"][0]["cmd_group"][0];
      EXPECT_EQ(group["layers"]["name"][1], "first0.0");
      EXPECT_FALSE(group.contains("unused7") || group.contains("unused31"));
    }
}

}  // namespace
}  // namespace tputwin::bmodel::bm168x
