// Nets from a caffemodel alone: parameters under the numbers that Caffe (BVLC's master 9b891540)
// and the SSD fork (4817bf8b) give them.
#include <gmock/gmock.h>
#include <google/protobuf/unknown_field_set.h>

#include <bit>
#include <cstdio>
#include <fstream>
#include <memory>

#include "base/last_error.h"
#include "bmnet_caffe_values/values.h"
#include "common/temporary_directory.h"

namespace tputwin::net::testing {
namespace {

using google::protobuf::UnknownFieldSet;
using ::testing::HasSubstr;

uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

std::string message(const std::function<void(UnknownFieldSet&)>& fill) {
  UnknownFieldSet fields;
  fill(fields);
  std::string bytes;
  EXPECT_TRUE(fields.SerializeToString(&bytes));
  return bytes;
}

// An Input "x" and a layer "y" with a message in field `number`.
struct BinaryNet {
  std::string type;
  int number;
  std::string parameters;
  Shape input = {1, 1, 4, 4};
  std::string second_input = {};
};

Result<caffe::NetParameter> read(const BinaryNet& net) {
  caffe::NetParameter file;
  caffe::LayerParameter& x = *file.add_layer();
  x.set_name("x");
  x.set_type("Input");
  x.add_top("x");
  for (int64_t extent : net.input) {
    if (x.input_param().shape().empty()) x.mutable_input_param()->add_shape();
    x.mutable_input_param()->mutable_shape(0)->add_dim(extent);
  }
  caffe::LayerParameter& y = *file.add_layer();
  y.set_name("y");
  y.set_type(net.type);
  y.add_bottom("x");
  if (net.type == "PriorBox") y.add_bottom("x");
  y.add_top("y");
  y.GetReflection()
      ->MutableUnknownFields(&y)
      ->AddLengthDelimited(net.number)
      ->assign(net.parameters);
  const std::string bytes = file.SerializePartialAsString();
  thread_diagnostics().clear();
  TW_ASSIGN_OR_RETURN(
      model, read_caffemodel({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}));
  return merge_caffe(std::move(model), {});
}

std::string warnings() {
  std::string text;
  for (const auto& warning : thread_diagnostics().warnings())
    text += warning.sample.message() + "\n";
  return text;
}

Floats run(const BinaryNet& net, const Floats& x) {
  const auto read_net = read(net);
  EXPECT_TRUE(read_net.ok()) << read_net.status().message();
  if (!read_net.ok()) return {};
  const auto values = run_float(*read_net, {{"x", x}});
  EXPECT_TRUE(values.ok()) << values.status().message();
  return values.ok() ? values->begin()->second : Floats();
}

Floats counted(int count) {
  Floats values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(i));
  return values;
}

TEST(Binary, RoundModeOfPooling) {
  const auto pooling = [](int round_mode) {
    return message([&](UnknownFieldSet& fields) {
      fields.AddVarint(2, 3);  // kernel_size
      fields.AddVarint(3, 2);  // stride
      if (round_mode >= 0) fields.AddVarint(13, static_cast<uint64_t>(round_mode));
    });
  };
  EXPECT_EQ(run({"Pooling", 121, pooling(1)}, counted(16)), (Floats{10}));
  EXPECT_THAT(warnings(), HasSubstr("round_mode FLOOR"));
  EXPECT_EQ(run({"Pooling", 121, pooling(-1)}, counted(16)), (Floats{10, 11, 14, 15}));
  EXPECT_EQ(warnings(), "");
  EXPECT_EQ(run({"Pooling", 121, pooling(0)}, counted(16)), (Floats{10}));
  EXPECT_THAT(warnings(), HasSubstr("ceil_mode false"));
}

// The commands that read such a file print the warnings about it.
TEST(Binary, CommandsPrintTheWarnings) {
  const tputwin::testing::TemporaryDirectory folder;
  const std::string at = folder.path().string() + "/";
  caffe::NetParameter file;
  caffe::LayerParameter& x = *file.add_layer();
  x.set_name("x");
  x.set_type("Input");
  x.add_top("x");
  for (const int64_t extent : {1, 1, 4, 4}) {
    if (x.input_param().shape().empty()) x.mutable_input_param()->add_shape();
    x.mutable_input_param()->mutable_shape(0)->add_dim(extent);
  }
  caffe::LayerParameter& y = *file.add_layer();
  y.set_name("y");
  y.set_type("Pooling");
  y.add_bottom("x");
  y.add_top("y");
  y.mutable_pooling_param()->set_kernel_size(2);
  y.mutable_pooling_param()->set_stride(2);
  y.mutable_pooling_param()->set_ceil_mode(true);
  {
    std::ofstream out(at + "net.caffemodel", std::ios::binary);
    file.SerializePartialToOstream(&out);
    std::ofstream(at + "table.prototxt")
        << "layer { name: 'x' blob_param { name: 'x' threshold_y: 1 } }\n"
           "layer { name: 'y' blob_param { name: 'y' threshold_y: 1 } }\n";
  }
  const std::string line = TPUTWIN_BIN_DIR "/tputwin compile --caffemodel " + at +
                           "net.caffemodel --table " + at + "table.prototxt -o " + at +
                           "net.bmodel 2>&1; echo exit $?";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(line.c_str(), "r"), pclose);
  std::string text;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get()))
    text += static_cast<char>(c);
  EXPECT_THAT(text, HasSubstr("tputwin: warning: TW-NET-0130"));
  EXPECT_THAT(text, HasSubstr("exit 0"));
}

// A caffemodel that tputwin writes has the same meaning when it is read without a prototxt.
TEST(Binary, RoundingOfOurOwnFiles) {
  for (const char* text :
       {"ceil_mode: true", "ceil_mode: false", "round_mode: CEIL", "round_mode: FLOOR", ""}) {
    const auto net =
        make_net(input_text("x", {1, 1, 4, 4}) +
                 "layer { name: 'y' type: 'Pooling' bottom: 'x' top: 'y' pooling_param "
                 "{ kernel_size: 3 stride: 2 " +
                 text + " } }\n");
    const auto right = run_float(net, {{"x", counted(16)}});
    const std::string bytes = to_caffemodel(net);
    const auto again =
        read_caffemodel({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    ASSERT_TRUE(again.ok() && right.ok());
    const auto found = run_float(*again, {{"x", counted(16)}});
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(*found, *right) << text;
  }
}

TEST(Binary, Clip) {
  const std::string parameters = message([](UnknownFieldSet& fields) {
    fields.AddFixed32(1, bits(-1));
    fields.AddFixed32(2, bits(2));
  });
  EXPECT_EQ(run({"Clip", 148, parameters, {1, 4}}, {-3, 0.5F, 2.5F, 1}), (Floats{-1, 0.5F, 2, 1}));
  EXPECT_EQ(warnings(), "");
}

TEST(Binary, Swish) {
  const std::string parameters =
      message([](UnknownFieldSet& fields) { fields.AddFixed32(1, bits(2)); });
  const auto swish = [](float x, float beta) { return x / (1 + std::exp(-beta * x)); };
  expect_floats(run({"Swish", 147, parameters, {1, 3}}, {-1, 0, 2}),
                {swish(-1, 2), 0, swish(2, 2)});
  expect_floats(run({"Swish", 147, "", {1, 3}}, {-1, 0, 2}), {swish(-1, 1), 0, swish(2, 1)});
  EXPECT_EQ(warnings(), "");
}

TEST(Binary, Elu) {
  const std::string parameters =
      message([](UnknownFieldSet& fields) { fields.AddFixed32(1, bits(0.5F)); });
  expect_floats(run({"ELU", 140, parameters, {1, 2}}, {-1, 2}), {0.5F * (std::exp(-1.0F) - 1), 2});
}

TEST(Binary, PriorBoxOfSsd) {
  const std::string parameters =
      message([](UnknownFieldSet& fields) { fields.AddFixed32(1, bits(2)); });
  Floats found = run({"PriorBox", 203, parameters, {1, 1, 1, 1}}, {0});
  ASSERT_EQ(found.size(), 8U);
  found.resize(4);
  EXPECT_EQ(found, (Floats{-0.5F, -0.5F, 1.5F, 1.5F}));
}

TEST(Binary, DetectionOutputOfSsd) {
  const std::string parameters = message([](UnknownFieldSet& fields) {
    fields.AddVarint(1, 3);
    fields.AddVarint(2, 0);
    fields.AddLengthDelimited(4)->assign(message([](UnknownFieldSet& nms) {
      nms.AddFixed32(1, bits(0.75F));
      nms.AddVarint(2, 20);
    }));
    fields.AddVarint(6, 2);
    fields.AddVarint(7, 5);
    fields.AddVarint(8, 1);
    fields.AddFixed32(9, bits(0.25F));
  });
  const auto net = read({"DetectionOutput", 204, parameters});
  ASSERT_TRUE(net.ok()) << net.status().message();
  const auto& p = net->layer(1).detectoutput_param();
  EXPECT_EQ(p.num_classes(), 3);
  EXPECT_FALSE(p.share_location());
  EXPECT_EQ(p.nms_param().nms_threshold(), 0.75F);
  EXPECT_EQ(p.nms_param().top_k(), 20);
  EXPECT_EQ(p.code_type(), caffe::DetectOutputParameter::CENTER_SIZE);
  EXPECT_EQ(p.keep_top_k(), 5);
  EXPECT_TRUE(p.variance_encoded_in_target());
  EXPECT_EQ(p.confidence_threshold(), 0.25F);
}

TEST(Binary, UnknownFieldsAreNamed) {
  const std::string one = message([](UnknownFieldSet& fields) { fields.AddVarint(77, 1); });
  run({"ReLU", 123, one, {1, 2}}, {-1, 2});
  EXPECT_THAT(warnings(), HasSubstr("layer y (ReLU)"));
  EXPECT_THAT(warnings(), HasSubstr("relu_param 77"));
  run({"ReLU", 149, one, {1, 2}}, {-1, 2});
  EXPECT_THAT(warnings(), HasSubstr("149"));
  // 147 is Reorg's parameter here.
  run({"ReLU", 147, one, {1, 2}}, {-1, 2});
  EXPECT_THAT(warnings(), HasSubstr("147"));
  // Losses are dropped with all their fields, without a warning.
  (void)read({"SoftmaxWithLoss", 149, one, {1, 2}});
  EXPECT_EQ(warnings(), "");
}

TEST(Binary, LayersOfVersion0AreNamedSo) {
  caffe::NetParameter old;
  caffe::V1LayerParameter& layer = *old.add_layers();
  layer.GetReflection()->MutableUnknownFields(&layer)->AddLengthDelimited(1)->assign("");
  const std::string bytes = old.SerializePartialAsString();
  const auto net = read_caffemodel({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  ASSERT_FALSE(net.ok());
  EXPECT_THAT(net.error().message(), HasSubstr("upgrade_net_proto_binary"));
}

// ---- Texts ----

TEST(Text, OfVersion0IsNamedSo) {
  const auto net = read_prototxt(
      "input: 'data' input_dim: 1 input_dim: 1 input_dim: 5 input_dim: 5\n"
      "layers { layer { name: \"c\" type: \"conv\" num_output: 4 kernelsize: 3 } bottom: \"data\""
      " top: \"c\" }\n"
      "layers { layer { name: \"r\" type: \"relu\" } bottom: \"c\" top: \"c\" }\n");
  ASSERT_FALSE(net.ok());
  EXPECT_THAT(net.error().message(), HasSubstr("upgrade_net_proto_text"));
  EXPECT_THAT(net.error().message(), ::testing::Not(HasSubstr("has no field")));
}

TEST(Text, FieldsOfDroppedLayersAreSkipped) {
  const std::string kept =
      input_text("x", {1, 2}) + "layer { name: 'r' type: 'ReLU' bottom: 'x' top: 'r' }\n";
  const std::vector<std::string> dropped = {
      "layer { name: 'l' type: 'MultiBoxLoss' bottom: 'r' top: 'l' multibox_loss_param {"
      " loc_loss_type: SMOOTH_L1 num_classes: 21 } }\n",
      "layer { name: 'd' type: 'DetectionEvaluate' bottom: 'r' top: 'd'\n"
      "  detection_evaluate_param { num_classes: 21 }\n}\n",
      "layer { name: 'd' type: 'AnnotatedData' top: 'data' top: 'label'\n"
      "  include { phase: TRAIN }\n  transform_param { crop_h: 300 crop_w: 300 }\n}\n",
      "layer { name: 't' type: 'Fork' bottom: 'r' top: 't' include { phase: TRAIN }"
      " fork_param { a: 1 } }\n",
      "layer { name: 's' type: 'SmoothL1Loss' bottom: 'r' top: 's' smooth_l1_loss_param {"
      " sigma: 3 } }\n"};
  for (const std::string& layer : dropped) {
    const auto net = try_net(kept + layer);
    ASSERT_TRUE(net.ok()) << net.status().message() << "\n" << layer;
    for (const auto& left : net->layer())
      EXPECT_TRUE(left.type() == "Input" || left.type() == "ReLU" || left.type() == "AnnotatedData")
          << layer;
  }
  EXPECT_FALSE(try_net(kept + "layer { name: 't' type: 'Fork' bottom: 'r' top: 't'"
                              " fork_param { a: 1 } }\n")
                   .ok());
  EXPECT_FALSE(try_net(kept + dropped[0] + "multibox_loss_param { a: 1 }\n").ok());
}

}  // namespace
}  // namespace tputwin::net::testing
