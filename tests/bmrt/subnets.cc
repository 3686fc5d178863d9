// Subnets on the host: operators, branches, loops, and the copies of tensors between them.
#include "bmrt/subnet_launch.h"

namespace tputwin::testing {
namespace {

using namespace bmodel::bm168x;
using Tensors = SubnetFile::Tensors;

// ---- Operators of the host ----

SubnetFile finds_nonzero() {
  SubnetFile file;
  file.input(host_tensor("x", {2, 3}));
  file.cpu("nonzero", {f32("x", {2, 3})}, {i32("where", {2, 6})});
  file.output(owned(i32("where", {2, 6})));
  return file;
}

TEST_F(Subnets, ResultsHaveTheShapeOfTheRun) {
  SubnetFile file = finds_nonzero();
  const auto out = launch(file, {bytes_of<float>({0, 1, 0, 2, 0, 3})});
  ASSERT_EQ(out.size(), 1u) << tputwin_last_error();
  EXPECT_EQ(out[0].shape.num_dims, 2);
  EXPECT_EQ(out[0].shape.dims[1], 3);
  EXPECT_EQ(values_of<int32_t>(out[0].bytes), (std::vector<int32_t>{0, 1, 1, 1, 0, 2}));
  SubnetFile none = finds_nonzero();
  const auto empty = launch(none, {bytes_of<float>({0, 0, 0, 0, -0.0F, 0})});
  ASSERT_EQ(empty.size(), 1u);
  EXPECT_EQ(empty[0].shape.dims[1], 0);
}

TEST_F(Subnets, TensorLaunchesToo) {
  SubnetFile file = finds_nonzero();
  const bm_net_info_t& net = *load_net(file);
  bm_tensor_t input{}, output{};
  ASSERT_TRUE(bmrt_tensor(&input, runtime, BM_FLOAT32, net.stages[0].input_shapes[0]));
  Bytes bytes = bytes_of<float>({0, 1, 0, 0, 0, 3});
  ASSERT_EQ(bm_memcpy_s2d(device, input.device_mem, bytes.data()), BM_SUCCESS);
  ASSERT_TRUE(bmrt_launch_tensor(runtime, net.name, &input, 1, &output, 1)) << tputwin_last_error();
  EXPECT_EQ(output.shape.dims[1], 2);
  EXPECT_EQ(values_of<int32_t>(read(output)), (std::vector<int32_t>{0, 1, 1, 2}));
  EXPECT_EQ(bm_mem_get_device_size(output.device_mem), 48u);  // of the compiled shape
  bm_free_device(device, output.device_mem);
  bm_free_device(device, input.device_mem);
}

// An operator's actual output shape is the next operator's input shape.
TEST_F(Subnets, ShapesGoOn) {
  SubnetFile file;
  file.input(host_tensor("x", {5}));
  file.cpu("nonzero order=torch", {f32("x", {5})}, {i32("places", {5, 1})});
  file.cpu("gathernd", {f32("x", {5}), i32("places", {5, 1})}, {f32("found", {5})});
  file.cpu("topk k=2", {f32("found", {5})}, {f32("best", {2}), i32("which", {2})});
  file.output(owned(f32("found", {5})));
  file.output(owned(f32("best", {2})));
  const auto out = launch(file, {bytes_of<float>({0, 4, 0, 9, 5})});
  ASSERT_EQ(out.size(), 2u) << tputwin_last_error();
  EXPECT_EQ(values_of<float>(out[0].bytes), (std::vector<float>{4, 9, 5}));
  EXPECT_EQ(values_of<float>(out[1].bytes), (std::vector<float>{9, 5}));
  // one element has no two best
  bmrt_destroy(std::exchange(runtime, bmrt_create(device)));
  EXPECT_NE(refused(file, {bytes_of<float>({0, 4, 0, 0, 0})}).find("subnet 2: topk k=2"),
            std::string::npos);
}

TEST_F(Subnets, WhatAnOperatorCannotTake) {
  SubnetFile file;
  file.input(host_tensor("x", {4}));
  file.input(host_tensor("i", {1}, ElementType::i32));
  file.cpu("gather", {f32("x", {4}), i32("i", {1})}, {f32("y", {1})});
  file.output(owned(f32("y", {1})));
  const std::vector<Bytes> right{bytes_of<float>({1, 2, 3, 4}), bytes_of<int32_t>({-2})};
  EXPECT_EQ(values_of<float>(launch(file, right)[0].bytes), std::vector<float>{3});
  const std::string message = refused(file, {right[0], bytes_of<int32_t>({4})});
  EXPECT_EQ(code(), "TW-BRT-0221");
  EXPECT_NE(message.find("gather (result y)"), std::string::npos) << message;
}

// ---- With the TPU ----

// The host computes on the recorded net's output.
TEST_F(Subnets, AfterTheTpu) {
  const Bytes plain = run_data(*load("nets-lenet-int8.bmodel", "lenet-int8"), 0);
  const Bytes bytes = *read_bytes(recorded("nets-lenet-int8.bmodel"));
  SubnetFile file(*bmodel::bm168x::read(bytes));
  const TensorT logits = *file.stage().output_tensor[0];
  ASSERT_EQ(element_type(logits), ElementType::f32);
  const auto count = element_count(logits);
  file.stage().sub_net[0]->next_subnet_ids = {};
  file.cpu("argsort descending=1", {logits}, {i32("order", dims_of(logits))});
  file.output(owned(i32("order", dims_of(logits))));
  const Bytes in = synthetic(28 * 28 * 4);
  const auto out = launch(file, {in});
  ASSERT_EQ(out.size(), 2u) << tputwin_last_error();
  EXPECT_EQ(out[0].bytes, plain);
  const auto values = values_of<float>(plain);
  const auto order = values_of<int32_t>(out[1].bytes);
  ASSERT_EQ(order.size(), count);
  for (size_t i = 1; i < order.size(); ++i)
    EXPECT_GE(values[static_cast<size_t>(order[i - 1])], values[static_cast<size_t>(order[i])]);
}

// The host makes the TPU's input: it selects one of a table of two images.
TEST_F(Subnets, BeforeTheTpu) {
  const bm_net_info_t& plain = *load("nets-lenet-int8.bmodel", "lenet-int8");
  const Bytes expected = run_data(plain, 0, 1), other = run_data(plain, 0, 2);
  ASSERT_NE(expected, other);
  const Bytes bytes = *read_bytes(recorded("nets-lenet-int8.bmodel"));
  for (int32_t chosen : {0, 1}) {
    SubnetFile file(*bmodel::bm168x::read(bytes));
    const TensorT image = *file.stage().input_tensor[0];
    auto tpu = std::move(file.stage().sub_net[0]);
    file.stage().sub_net.clear();
    file.stage().input_tensor.clear();
    file.input(host_tensor("table", {2, 1, 28, 28}));
    file.input(host_tensor("which", {1}, ElementType::i32));
    file.cpu("gather", {f32("table", {2, 1, 28, 28}), i32("which", {1})}, {image});
    file.stage().sub_net[0]->next_subnet_ids = {1};
    tpu->id = 1;
    file.stage().sub_net.push_back(std::move(tpu));
    Bytes table = synthetic(28 * 28 * 4, 1);
    const Bytes second = synthetic(28 * 28 * 4, 2);
    table.insert(table.end(), second.begin(), second.end());
    const auto out = launch(file, {table, bytes_of<int32_t>({chosen})});
    ASSERT_EQ(out.size(), 1u) << tputwin_last_error();
    EXPECT_EQ(out[0].bytes, chosen == 0 ? expected : other);
  }
}

// A static subnet accepts only its compiled shape.
TEST_F(Subnets, TheTpuNeedsTheCompiledShape) {
  const Bytes bytes = *read_bytes(recorded("nets-lenet-int8.bmodel"));
  SubnetFile file(*bmodel::bm168x::read(bytes));
  const TensorT image = *file.stage().input_tensor[0];
  auto tpu = std::move(file.stage().sub_net[0]);
  file.stage().sub_net.clear();
  file.stage().input_tensor.clear();
  file.input(host_tensor("x", {1, 1, 28, 28}));
  file.cpu("masked_select", {f32("x", {1, 1, 28, 28}), f32("x", {1, 1, 28, 28})}, {image});
  file.stage().sub_net[0]->next_subnet_ids = {1};
  tpu->id = 1;
  file.stage().sub_net.push_back(std::move(tpu));
  std::vector<float> x(28 * 28, 1);
  x[3] = 0;
  EXPECT_NE(refused(file, {bytes_of(x)}).find("(783)"), std::string::npos);
  EXPECT_EQ(code(), "TW-BRT-0225");
  SubnetFile again = file;
  x[3] = 2;
  EXPECT_EQ(launch(again, {bytes_of(x)}).size(), 1u) << tputwin_last_error();
}

// Commands in a branch: the net's output for an image, or another tensor instead.
TEST_F(Subnets, TheTpuInABranch) {
  const bm_net_info_t& plain = *load("nets-lenet-int8.bmodel", "lenet-int8");
  const Bytes expected = run_data(plain, 0, 1);
  const Bytes bytes = *read_bytes(recorded("nets-lenet-int8.bmodel"));
  for (int32_t which : {0, 1}) {
    SubnetFile file(*bmodel::bm168x::read(bytes));
    const TensorT image = *file.stage().input_tensor[0], logits = *file.stage().output_tensor[0];
    auto tpu = std::move(file.stage().sub_net[0]);
    file.stage().sub_net.clear();
    TensorT given = f32("given", {1, 1, 28, 28}), other = f32("other", dims_of(logits));
    file.stage().input_tensor.clear();
    for (const TensorT& tensor : {given, other, i32("which", {1})}) file.input(owned(tensor));
    file.branch({given, other, i32("which", {1})}, {image, f32("kept", dims_of(logits))}, {0, 1},
                {0, 1}, {1, 2});
    tpu->id = 1;
    tpu->next_subnet_ids = {2};
    file.stage().sub_net.push_back(std::move(tpu));
    file.merge({logits, f32("kept", dims_of(logits))}, {f32("result", dims_of(logits))}, {{0, 1}});
    file.stage().output_tensor.clear();
    file.output(owned(f32("result", dims_of(logits))));
    const Bytes instead = synthetic(element_count(logits) * 4, 3);
    const auto out = launch(file, {synthetic(28 * 28 * 4, 1), instead, bytes_of<int32_t>({which})});
    ASSERT_EQ(out.size(), 1u) << tputwin_last_error();
    EXPECT_EQ(out[0].bytes, which == 0 ? expected : instead);
  }
}

// ---- Switch and merge ----

// Branch 0: the largest; branch 1: the smallest; a merge of both.
SubnetFile chooses(ElementType choice) {
  SubnetFile file;
  const TensorT x = f32("x", {4}), which = *host_tensor("which", {1}, choice);
  file.input(owned(x));
  file.input(owned(which));
  file.branch({x, which}, {f32("x0", {4}), f32("x1", {4})}, {0, 0}, {0, 1}, {1, 2});
  file.cpu("argmax", {f32("x0", {4})}, {i32("p0", {1}), f32("y0", {1})}).next_subnet_ids = {3};
  file.cpu("argmax smallest=1", {f32("x1", {4})}, {i32("p1", {1}), f32("y1", {1})});
  file.merge({f32("y0", {1}), f32("y1", {1}), i32("p0", {1}), i32("p1", {1})},
             {f32("y", {1}), i32("p", {1})}, {{0, 1}, {2, 3}});
  file.output(owned(f32("y", {1})));
  file.output(owned(i32("p", {1})));
  return file;
}

template <class T>
Bytes as(int value) {
  return bytes_of<T>({static_cast<T>(value)});
}

TEST_F(Subnets, BranchesByEveryType) {
  const Bytes x = bytes_of<float>({3, 8, -1, 2});
  struct Choice {
    ElementType type;
    Bytes (*bytes)(int);
  };
  for (const Choice& c : {Choice{ElementType::f32, as<float>},
                          {ElementType::i32, as<int32_t>},
                          {ElementType::u32, as<uint32_t>},
                          {ElementType::i16, as<int16_t>},
                          {ElementType::u16, as<uint16_t>},
                          {ElementType::i8, as<int8_t>},
                          {ElementType::u8, as<uint8_t>}})
    for (int which : {0, 1}) {
      SubnetFile file = chooses(c.type);
      const auto out = launch(file, {x, c.bytes(which)});
      ASSERT_EQ(out.size(), 2u) << tputwin_last_error();
      EXPECT_EQ(values_of<float>(out[0].bytes), std::vector<float>{which == 0 ? 8.F : -1.F});
      EXPECT_EQ(values_of<int32_t>(out[1].bytes), std::vector<int32_t>{which == 0 ? 1 : 2});
    }
  for (float which : {2.F, -1.F, 0.5F, std::numeric_limits<float>::quiet_NaN()}) {
    SubnetFile file = chooses(ElementType::f32);
    refused(file, {x, bytes_of<float>({which})});
    EXPECT_EQ(code(), "TW-BRT-0226");
  }
}

// A switch inside a branch of another switch.
TEST_F(Subnets, NestedBranches) {
  for (int32_t outer : {0, 1})
    for (int32_t inner : {0, 1}) {
      SubnetFile file;
      const TensorT a = f32("a", {1}), b = f32("b", {1}), c = f32("c", {1});
      const TensorT outer_choice = i32("outer", {1}), inner_choice = i32("inner", {1});
      for (const TensorT& tensor : {a, b, c, outer_choice, inner_choice}) file.input(owned(tensor));
      file.branch({a, b, c, outer_choice}, {f32("a0", {1}), f32("b1", {1}), f32("c1", {1})},
                  {0, 1, 2}, {0, 1, 1}, {3, 1});
      file.branch({f32("b1", {1}), f32("c1", {1}), inner_choice},
                  {f32("b10", {1}), f32("c11", {1})}, {0, 1}, {0, 1}, {2, 2});
      file.merge({f32("b10", {1}), f32("c11", {1})}, {f32("d", {1})}, {{0, 1}});
      file.merge({f32("a0", {1}), f32("d", {1})}, {f32("e", {1})}, {{1, 0}});
      file.output(owned(f32("e", {1})));
      const auto out =
          launch(file, {bytes_of<float>({1}), bytes_of<float>({2}), bytes_of<float>({3}),
                        bytes_of<int32_t>({outer}), bytes_of<int32_t>({inner})});
      ASSERT_EQ(out.size(), 1u) << tputwin_last_error();
      EXPECT_EQ(values_of<float>(out[0].bytes), std::vector<float>{outer == 0   ? 1.F
                                                                   : inner == 0 ? 2.F
                                                                                : 3.F});
    }
}

// Follows a list until its end: next = list[at], on = on_list[next].
SubnetFile follows_a_list() {
  SubnetFile file;
  const TensorT start = i32("start", {1}), list = i32("list", {6}), going = i32("going", {6});
  for (const TensorT& tensor : {start, list, going}) file.input(owned(tensor));
  file.merge({start, i32("again", {1})}, {i32("at", {1})}, {{0, 1}});
  file.cpu("gather", {list, i32("at", {1})}, {i32("next", {1})});
  file.cpu("gather", {going, i32("next", {1})}, {i32("on", {1})});
  file.branch({i32("next", {1}), i32("on", {1})}, {i32("end", {1}), i32("again", {1})}, {0, 0},
              {0, 1}, {-1, 0});
  file.output(owned(i32("end", {1})));
  return file;
}

TEST_F(Subnets, LoopsEnd) {
  SubnetFile file = follows_a_list();
  const Bytes list = bytes_of<int32_t>({3, 5, 4, 1, 0, 2});  // 2 4 0 3 1 5
  const auto out =
      launch(file, {bytes_of<int32_t>({2}), list, bytes_of<int32_t>({1, 1, 1, 1, 1, 0})});
  ASSERT_EQ(out.size(), 1u) << tputwin_last_error();
  EXPECT_EQ(values_of<int32_t>(out[0].bytes), std::vector<int32_t>{5});
}

TEST_F(Subnets, LoopsThatDoNotEndAreStopped) {
  SubnetFile file = follows_a_list();
  setenv("TPUTWIN_SUBNET_STEPS", "50", 1);
  refused(file, {bytes_of<int32_t>({2}), bytes_of<int32_t>({3, 5, 4, 1, 0, 2}),
                 bytes_of<int32_t>({1, 1, 1, 1, 1, 1})});
  unsetenv("TPUTWIN_SUBNET_STEPS");
  EXPECT_EQ(code(), "TW-BRT-0227");
}

// The host reads weights at their addresses.
TEST_F(Subnets, ConstantsAreWeights) {
  SubnetFile file;
  const std::vector<float> table{0, 1, 10, 11, 20, 21};
  const Bytes bytes = bytes_of(table);
  auto memory = std::make_unique<CoeffMemT>();
  memory->address = 0x1'0000'0000;
  memory->binary_coeff = std::make_unique<Binary>(
      file.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  file.stage().coeff_mem = std::move(memory);
  TensorT weights = f32("weights", {3, 2});
  weights.device_addr = 0x1'0000'0000;
  file.input(host_tensor("i", {2}, ElementType::i32));
  file.cpu("embedding", {i32("i", {2}), weights}, {f32("y", {2, 2})});
  file.output(owned(f32("y", {2, 2})));
  const auto out = launch(file, {bytes_of<int32_t>({2, 0})});
  ASSERT_EQ(out.size(), 1u) << tputwin_last_error();
  EXPECT_EQ(values_of<float>(out[0].bytes), (std::vector<float>{20, 21, 0, 1}));
}

// ---- Files that are refused before anything runs ----

template <class Change>
SubnetFile changed_list(Change change) {
  SubnetFile file = follows_a_list();
  change(file.stage());
  return file;
}

TEST_F(Subnets, GraphsThatAreNone) {
  const std::vector<Bytes> inputs{bytes_of<int32_t>({2}), bytes_of<int32_t>({3, 5, 4, 1, 0, 2}),
                                  bytes_of<int32_t>({1, 1, 1, 1, 1, 0})};
  struct Case {
    const char* text;
    void (*change)(NetParameterT&);
  };
  const Case cases[] = {
      {"no way leads from it to the end",
       [](NetParameterT& s) {
         s.sub_net[3]->next_subnet_ids = {0, 0};
       }},
      {"only a switch has several",
       [](NetParameterT& s) {
         s.sub_net[1]->next_subnet_ids = {2, 3};
       }},
      {"a switch has branches", [](NetParameterT& s) { s.sub_net[3]->next_subnet_ids = {}; }},
      {"a switch has it", [](NetParameterT& s) { s.sub_net[3]->switch_param.reset(); }},
      {"an input for each output",
       [](NetParameterT& s) { s.sub_net[3]->switch_param->output_from[1] = 7; }},
      {"a branch for each output",
       [](NetParameterT& s) {
         s.sub_net[3]->switch_param->output_branch = {0, -2};
       }},
      {"a merge has inputs", [](NetParameterT& s) { s.sub_net[0]->merge_param.reset(); }},
      {"all of which are there",
       [](NetParameterT& s) {
         s.sub_net[0]->merge_param->output_from[0]->indice = {0, 2};
       }},
      {"a CPU subnet has one", [](NetParameterT& s) { s.sub_net[1]->cpu_param.clear(); }},
      {"at most 2^30",
       [](NetParameterT& s) {
         s.sub_net[1]->output_tensor[0]->shape[0]->dim = {1 << 15, 1 << 16};
         s.sub_net[1]->output_tensor[0]->size = 0;
       }},
      {"no subnet writes it",
       [](NetParameterT& s) { s.sub_net[1]->input_tensor[0]->name = "another"; }},
      {"no subnet writes it", [](NetParameterT& s) { s.output_tensor[0]->name = "another"; }},
      {"elsewhere it is int32",
       [](NetParameterT& s) { s.sub_net[2]->input_tensor[1]->data_type = 0; }},
  };
  for (const Case& c : cases) {
    SubnetFile file = changed_list(c.change);
    EXPECT_NE(refused(file, inputs).find(c.text), std::string::npos)
        << c.text << ": " << tputwin_last_error();
    EXPECT_EQ(code(), "TW-BRT-0121");
  }
}

TEST_F(Subnets, UnknownOperators) {
  for (int32_t number : {0, 3, 36, 9999, 10000, 16880, -1}) {
    SubnetFile file;
    file.input(host_tensor("x", {1}));
    file.cpu(number, "bytes of another", {f32("x", {1})}, {f32("y", {1})});
    file.output(owned(f32("y", {1})));
    EXPECT_NE(refused(file, {bytes_of<float>({1})}).find("= " + std::to_string(number) + ":"),
              std::string::npos)
        << tputwin_last_error();
    EXPECT_EQ(code(), "TW-BRT-0122");
  }
}

TEST_F(Subnets, WhatWasNotWrittenOnTheWay) {
  SubnetFile file = chooses(ElementType::i32);
  file.stage().output_tensor[0] = owned(f32("y1", {1}));
  EXPECT_EQ(launch(file, {bytes_of<float>({3, 8, -1, 2}), as<int32_t>(1)}).size(), 2u);
  refused(file, {bytes_of<float>({3, 8, -1, 2}), as<int32_t>(0)});
  EXPECT_EQ(code(), "TW-BRT-0224");
}

TEST_F(Subnets, DynamicOnesStayErrors) {
  SubnetFile file = finds_nonzero();
  file.stage().sub_net[0]->is_dynamic = 1;
  refused(file, {bytes_of<float>({0, 0, 0, 0, 0, 0})});
  EXPECT_EQ(code(), "TW-BRT-0104");
}

}  // namespace
}  // namespace tputwin::testing
