// The framings of container 2.1, and weights of single varieties in both containers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors/bmodel.h"
#include "bmodel/containers.h"
#include "bmodel/message.h"
#include "bmodel/parts.h"
#include "bmodel/samples.h"

namespace tputwin::bmodel {
namespace {

using testing::HasSubstr;
using Bytes = std::vector<uint8_t>;

Model after_message() {
  Model model = samples::rich();
  model.weights_after_message = true;
  return model;
}

// Changes the message of a file in the framing dd aa 55 ff, keeps the bytes after it, and reads the
// file.
template <class Change>
Status read_changed(Change change) {
  const Bytes file = *write_v21(after_message());
  const size_t size = file[4] + file[5] * 256u, rest = 8 + size;
  ::bmodel::Model message;
  EXPECT_TRUE(message.ParseFromArray(file.data() + 8, static_cast<int>(size)));
  change(message);
  Bytes changed(file.begin(), file.begin() + 4);
  const std::string text = message.SerializeAsString();
  for (int i = 0; i < 4; ++i) changed.push_back(static_cast<uint8_t>(text.size() >> (8 * i)));
  changed.insert(changed.end(), text.begin(), text.end());
  changed.insert(changed.end(), file.begin() + static_cast<ptrdiff_t>(rest), file.end());
  return read(changed).status();
}

TEST(Framings, WeightsInsideBeginWithTheMagicOfBoards) {
  const Bytes file = *write_v21(samples::rich());
  EXPECT_EQ(Bytes(file.begin(), file.begin() + 4), (Bytes{0xff, 0xaa, 0x55, 0xff}));
  ::bmodel::Model message;
  ASSERT_TRUE(message.ParseFromArray(file.data() + 4, static_cast<int>(file.size() - 4)));
  EXPECT_EQ(message.weight_size(), 2);
  EXPECT_EQ(message.weight_info_size(), 0);
}

TEST(Framings, WeightsAfterTheMessageAreAtItsOffsets) {
  const Bytes file = *write_v21(after_message());
  EXPECT_EQ(Bytes(file.begin(), file.begin() + 4), (Bytes{0xdd, 0xaa, 0x55, 0xff}));
  const size_t size = file[4] + file[5] * 256u;
  ::bmodel::Model message;
  ASSERT_TRUE(message.ParseFromArray(file.data() + 8, static_cast<int>(size)));
  EXPECT_EQ(message.weight_size(), 0);
  ASSERT_EQ(message.weight_info_size(), 2);
  EXPECT_EQ(message.weight_info(1).weight_offset(), 5u);
  EXPECT_EQ(message.weight_info(1).weight_length(), 1u);
  EXPECT_EQ(file.size(), 8 + size + 6);
  EXPECT_EQ(*read(file), after_message());
}

TEST(Framings, BareMessagesOfEarlierVersionsAreRead) {
  const Bytes file = *write_v21(samples::rich());
  EXPECT_EQ(*read(std::span(file).subspan(4)), samples::rich());
}

TEST(Framings, WeightsThatNoMessageHoldsFollowIt) {
  Model large = samples::rich();
  large.weights[0].resize(10000);
  const Bytes file = *write_v21(large, 5000);
  EXPECT_EQ(file[0], 0xdd);
  large.weights_after_message = true;
  EXPECT_EQ(*read(file), large);
}

TEST(Framings, DamageIsNamed) {
  const Bytes file = *write_v21(after_message());
  EXPECT_THAT(read(std::span(file).first(6)).status().message(), HasSubstr("message_size = 4"));
  EXPECT_THAT(read(std::span(file).first(30)).status().message(), HasSubstr("22 bytes are left"));
  EXPECT_THAT(read(std::span(file).first(file.size() - 1)).status().message(),
              HasSubstr("weight_info[1] = [5, 1]"));
  Bytes longer = file;
  longer.push_back(0);
  EXPECT_THAT(read(longer).status().message(), HasSubstr("1 bytes follow the last weight"));
  const Bytes no_message{0xff, 0xaa, 0x55, 0xff, 1, 2, 3};
  EXPECT_EQ(read(no_message).error().id(), errors::mod_message);
}

TEST(Framings, WeightOffsetsAreChecked) {
  auto place = [](int entry, uint64_t offset, uint64_t length) {
    return read_changed([&](::bmodel::Model& m) {
             m.mutable_weight_info(entry)->set_weight_offset(offset);
             m.mutable_weight_info(entry)->set_weight_length(length);
           })
        .message();
  };
  EXPECT_EQ(place(1, 5, 1), "ok");
  EXPECT_THAT(place(0, 7, 0), HasSubstr("weight_info[0] = [7, 0]"));
  EXPECT_THAT(place(0, UINT64_MAX, 2), HasSubstr("6 bytes follow the message"));
  EXPECT_THAT(place(0, 1, UINT64_MAX), HasSubstr("6 bytes follow the message"));
  EXPECT_THAT(place(1, 0, 6), HasSubstr("1 of 6 bytes are unclaimed"));
  EXPECT_THAT(place(1, 4, 1), HasSubstr("1 bytes follow the last weight"));
  EXPECT_THAT(read_changed([](::bmodel::Model& m) { m.add_weight("inside"); }).message(),
              HasSubstr("weight = 1 entries"));
  EXPECT_THAT(read_changed([](::bmodel::Model& m) { m.clear_weight_info(); }).message(),
              HasSubstr("6 bytes follow"));
}

// ---- Weights of varieties ----

using samples::own_weights;

TEST(OwnWeights, AreKeptByBothContainers) {
  const Model model = own_weights();
  EXPECT_EQ(*read(*write(model, Container::v0_1_1)), model);
  const Model newer = *read(*write(model, Container::v2_1));
  EXPECT_EQ(newer.weights, model.weights);
  EXPECT_EQ(*read(*write(newer, Container::v0_1_1)), model);
  EXPECT_EQ(model.weight_of(model.varieties[2])[0], 7);
}

TEST(OwnWeights, OfSeveralVarietiesAreInTheFileOnce) {
  const Bytes file = *write(own_weights(), Container::v0_1_1);
  const std::string text(file.begin(), file.end());
  const std::string place = R"("weight": ["24", "2"])";
  const size_t first = text.find(place);
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_NE(text.find(place, first + 1), std::string::npos) << text;
}

TEST(OwnWeights, AreNextToVarietiesWithoutAny) {
  Model model = own_weights();
  model.weights[0].clear();
  EXPECT_EQ(*read(*write(model, Container::v0_1_1)), model);
  EXPECT_TRUE(model.weight_of(model.varieties[0]).empty());
}

TEST(OwnWeights, ThatNoVarietyUsesDoNotFitTheOldContainer) {
  Model model = own_weights();
  model.varieties[1].weight_index = model.varieties[2].weight_index = 0;
  EXPECT_THAT(write(model, Container::v0_1_1).status().message(), HasSubstr("weights[1]"));
}

TEST(OwnWeights, ArePutTogetherByCombine) {
  Model whole = own_weights();
  whole.weights.push_back({});
  whole.varieties[2].weight_index = 2;
  std::vector<Model> singles;
  for (const Variety& variety : whole.varieties) {
    Model single = whole;
    single.varieties = {variety};
    single.varieties[0].weight_index = 0;
    single.weights = {whole.weights[variety.weight_index]};
    if (single.weights[0].empty()) single.weights.clear();
    singles.push_back(single);
  }
  EXPECT_EQ(*combine(singles), whole);
}

}  // namespace
}  // namespace tputwin::bmodel
