// Tools on bmodels of the BM1684X: numpy arrays, context directories, files in parts.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "bmodel/bm168x/parts.h"
#include "bmodel/subnets168x.h"
#include "common/temporary_directory.h"
#include "tools/bm168x/info168x.h"
#include "tools/bm168x/run168x.h"
#include "tools/bm168x/session168x.h"
#include "tools/bm168x/stage_programs.h"
#include "tools/bm168x/tensor_values.h"

namespace tputwin::tools {
namespace {

namespace b168x = bmodel::bm168x;
using testing::TemporaryDirectory;

std::string recorded(const std::string& name) {
  return TPUTWIN_SOURCE_DIR "/tests/conformance/bm168x/bm1684x/" + name;
}

int exit_code_of(const std::string& command) {
  return WEXITSTATUS(std::system((TPUTWIN_BIN_DIR "/" + command + " >/dev/null 2>&1").c_str()));
}

b168x::TensorT int8_tensor(float scale, int zero_point) {
  b168x::TensorT tensor;
  tensor.name = "t";
  tensor.data_type = static_cast<uint32_t>(b168x::ElementType::i8);
  tensor.scale = scale;
  tensor.zero_point = zero_point;
  tensor.shape.push_back(std::make_unique<b168x::ShapeT>());
  tensor.shape[0]->dim = {5};
  return tensor;
}

Array floats(const std::vector<float>& values) {
  Array array{'f', 4, {values.size()}, {}};
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  array.bytes.assign(bytes, bytes + 4 * values.size());
  return array;
}

TEST(Bm168xTools, ArraysOfNumpy) {
  const auto file = write_npy(floats({1, 2, 3}));
  const std::string text(file.begin() + 10, file.begin() + 68);
  EXPECT_TRUE(text.starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"));
  EXPECT_EQ(file.size() % 64, 12u);
  auto again = read_npy(file);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->bytes, floats({1, 2, 3}).bytes);
  EXPECT_EQ(again->shape, (std::vector<uint64_t>{3}));
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(read_npy({file.begin(), file.begin() + static_cast<ptrdiff_t>(size)}).ok());
}

TEST(Bm168xTools, FloatsAreQuantized) {
  const auto tensor = int8_tensor(2, 3);
  auto bytes = tensor_of(floats({0, 1.25f, -1.25f, 100, -100}), tensor);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(*bytes, (std::vector<uint8_t>{3, 5, 1, 127, 0x80}));  // ties to even
  const Array back = array_of(*bytes, tensor, /*as_float=*/true);
  EXPECT_EQ(back.bytes, floats({0, 4, -4, 248, -262}).bytes);
  EXPECT_FALSE(tensor_of(floats({1, 2}), tensor).ok());
}

template <class T>
Array integers(char kind, const std::vector<T>& values) {
  Array array{kind, sizeof(T), {values.size()}, {}};
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  array.bytes.assign(bytes, bytes + sizeof(T) * values.size());
  return array;
}

// fp32 has each integer up to 2^24, and beyond it each second, fourth and so on.
TEST(Bm168xTools, IntegersAreNumbersOfTheInput) {
  auto tensor = int8_tensor(2, 3);
  const auto is_taken = [&](const Array& array, b168x::ElementType type) {
    tensor.data_type = static_cast<uint32_t>(type);
    tensor.shape[0]->dim = {array.count()};
    return tensor_of(array, tensor).ok();
  };
  constexpr int64_t k24 = int64_t{1} << 24, kLargest = std::numeric_limits<int64_t>::max();
  EXPECT_TRUE(is_taken(integers<int64_t>('i', {k24, -k24, k24 + 2, 0}), b168x::ElementType::f32));
  EXPECT_FALSE(is_taken(integers<int64_t>('i', {k24 + 1}), b168x::ElementType::f32));
  EXPECT_FALSE(is_taken(integers<int32_t>('i', {-k24 - 1}), b168x::ElementType::f32));
  EXPECT_FALSE(is_taken(integers<uint32_t>('u', {UINT32_MAX}), b168x::ElementType::f32));
  EXPECT_FALSE(is_taken(integers<int64_t>('i', {kLargest}), b168x::ElementType::f32));
  EXPECT_TRUE(is_taken(integers<int64_t>('i', {-kLargest - 1}), b168x::ElementType::f32));
  EXPECT_FALSE(is_taken(integers<uint64_t>('u', {UINT64_MAX}), b168x::ElementType::f32));
  EXPECT_TRUE(is_taken(integers<int32_t>('i', {65504, 2049}), b168x::ElementType::f16));
  EXPECT_FALSE(is_taken(integers<int32_t>('i', {70000}), b168x::ElementType::f16));
  EXPECT_TRUE(is_taken(integers<uint8_t>('u', {127}), b168x::ElementType::i8));
  EXPECT_FALSE(is_taken(integers<uint8_t>('u', {128}), b168x::ElementType::i8));
  EXPECT_FALSE(is_taken(integers<int8_t>('i', {-1}), b168x::ElementType::u8));
  EXPECT_TRUE(is_taken(integers<int64_t>('i', {-128, 127}), b168x::ElementType::i8));
}

TEST(Bm168xTools, ArchivesInAndOut) {
  const TemporaryDirectory directory;
  const std::string in = (directory / "in.npz").string(), out = (directory / "out.npz").string();
  auto file = *bmodel::open_file(recorded("nets-attention-int8.bmodel"));
  const auto& stage = *file.bm168x()->model.net[0]->parameter[0];
  const auto raw = synthetic(*stage.input_tensor[0], 1);
  ASSERT_TRUE(
      write_npz(in, {{"other", floats({1})}, {"in0", array_of(raw, *stage.input_tensor[0], false)}})
          .ok());
  auto report = run_168x(file, {.inputs = {in}, .output = out});
  ASSERT_TRUE(report.ok()) << report.status().message();
  auto made = run_168x(file, {});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(report->output, made->output);
  EXPECT_NE(made->text.find("synthetic"), std::string::npos);
  auto arrays = read_npz(out);
  ASSERT_TRUE(arrays.ok()) << arrays.status().message();
  EXPECT_EQ(arrays->at("out0").bytes, made->output);
  EXPECT_EQ(exit_code_of("model_runner --model " + recorded("nets-attention-int8.bmodel") +
                         " --input " + in + " --output " + out),
            0);
  EXPECT_EQ(read_npz(out)->at("out0").bytes, made->output);
  EXPECT_FALSE(run_168x(file, {.inputs = {out}}).ok());  // no array of the input's name
}

// Runs for the account are neither counted nor seen in the output.
TEST(Bm168xTools, AnAccountChangesNothingElse) {
  const auto file = *bmodel::open_file(recorded("nets-attention-int8.bmodel"));
  const auto report_of = [&](unsigned account) {
    thread_diagnostics().clear();
    return *run_168x(file, {.account = account});
  };
  const Run168xReport plain = report_of(0), with_account = report_of(4);
  EXPECT_EQ(with_account.output, plain.output);
  EXPECT_EQ(with_account.json["warnings"], plain.json["warnings"]);
  EXPECT_FALSE(plain.json.contains("account"));
  const auto& account = with_account.json["account"];
  EXPECT_EQ(account["threads"], 4);
  for (const char* threads : {"1", "2", "4", "64"})
    EXPECT_GT(account["predicted_ms"][threads].get<double>(), 0) << threads;
  EXPECT_GT(account["steps"].size(), 1u);
  EXPECT_NE(with_account.text.find("on 4 threads, the kinds of steps"), std::string::npos);
}

// The examples' kernels: nets of their recordings give the bytes of the kernels.
TEST(Bm168xTools, RecordedKernelsRunAgain) {
  for (const std::string program : {"tpu_exp", "tpu_softmax", "tpu_matmul", "tpu_gather"}) {
    SCOPED_TRACE(program);
    const TemporaryDirectory directory;
    const std::string folder = directory.path().string();
    ASSERT_EQ(exit_code_of("tputwin pack -o " + folder + " -- " TPUTWIN_BIN_DIR "/" + program), 0);
    EXPECT_EQ(exit_code_of("bmrt_test --context_dir " + folder + " --export_output " + folder +
                           "/outputs.dat"),
              0);
    EXPECT_EQ(*read_bytes(folder + "/outputs.dat"), *read_bytes(folder + "/output_ref_data.dat"));
    for (const char* command : {"tputwin info ", "tputwin disasm ", "tputwin print "})
      EXPECT_EQ(exit_code_of(command + folder + "/compilation.bmodel"), 0) << command;
  }
}

// `record` writes kernels as before, and names the command that does so.
TEST(Bm168xTools, KernelsByRecordAndByPack) {
  const TemporaryDirectory directory;
  const std::string by_pack = (directory / "pack.bmodel").string(),
                    by_record = (directory / "record.bmodel").string(),
                    log = (directory / "log").string();
  const std::string program = " -- " TPUTWIN_BIN_DIR "/tpu_exp";
  ASSERT_EQ(exit_code_of("tputwin pack -o " + by_pack + program), 0);
  const std::string record = TPUTWIN_BIN_DIR "/tputwin record -o " + by_record + program;
  ASSERT_EQ(std::system((record + " >/dev/null 2>" + log).c_str()), 0);
  const auto hint = *read_bytes(log);
  EXPECT_NE(std::string(hint.begin(), hint.end()).find("hint: tputwin pack"), std::string::npos);
  EXPECT_EQ(bmodel::open_file(by_pack)->bm168x()->model.net.size(),
            bmodel::open_file(by_record)->bm168x()->model.net.size());
  EXPECT_EQ(exit_code_of("tputwin pack -o run.tprec" + program), 2);
}

// Every tool that opens programs opens recordings.
TEST(Bm168xTools, RecordedRunsAreOpenedByEveryTool) {
  const TemporaryDirectory directory;
  const std::string run = (directory / "run.tprec").string();
  ASSERT_EQ(exit_code_of("tputwin record -o " + run + " -- " TPUTWIN_BIN_DIR "/okk_plus_one"), 0);
  const std::string page = (directory / "page.html").string();
  for (const std::string& command :
       {"replay " + run, "check -- " + run, "timing -- " + run, "diff " + run + " --b-reference",
        "profile --html " + page + " -- " + run, "debug -- " + run + " </dev/null"})
    EXPECT_EQ(exit_code_of("tputwin " + command), 0) << command;
  EXPECT_TRUE(std::filesystem::exists(page));
  EXPECT_NE(exit_code_of("tputwin whatif --lanes 32 -- " + run), 0);
}

std::string output_of(const std::string& command) {
  const TemporaryDirectory directory;
  const std::string file = (directory / "out.txt").string();
  EXPECT_EQ(std::system((TPUTWIN_BIN_DIR "/" + command + " >" + file).c_str()), 0) << command;
  const auto bytes = *read_bytes(file);
  return {bytes.begin(), bytes.end()};
}

TEST(Bm168xTools, BmrtTestShowsDetails) {
  const TemporaryDirectory directory;
  const std::string file = recorded("nets-lenet-int8.bmodel"),
                    neurons = (directory / "neurons.dat").string();
  const std::string text =
      output_of("bmrt_test --bmodel " + file +
                " --profile --subnet_time --debug_output --export_neuron " + neurons);
  for (const char* words : {"conv2d_quant", "price:", "subnet 0:", "output  "})
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  auto opened = *bmodel::open_file(file);
  const auto& stage = *opened.bm168x()->model.net[0]->parameter[0];
  EXPECT_EQ(std::filesystem::file_size(neurons), b168x::neuron_bytes(stage));
  std::string extents;
  for (const auto& tensor : stage.output_tensor) {
    extents += "[";
    for (const uint64_t extent : b168x::shape(*tensor)) extents += std::to_string(extent) + ",";
    extents.back() = ']';
  }
  EXPECT_EQ(exit_code_of("bmrt_test --bmodel " + file + " --output_shapes " + extents), 0);
  EXPECT_EQ(exit_code_of("bmrt_test --bmodel " + file + " --output_shapes [1,2,3]"), 1);
}

TEST(Bm168xTools, EndlessInputsEnd) {
  EXPECT_EQ(
      exit_code_of("tputwin run " + recorded("nets-lenet-int8.bmodel") + " --input /dev/zero"), 3);
}

TEST(Bm168xTools, RunsOnSeveralDevices) {
  const std::string text = output_of("tputwin run " + recorded("nets-lenet-int8.bmodel") +
                                     " --devices 2 --repeat 3 --latency");
  EXPECT_NE(text.find("fastest of 6"), std::string::npos) << text;
  EXPECT_NE(text.find("images/s on 2 devices"), std::string::npos) << text;
}

TEST(Bm168xTools, ContextDirectories) {
  const TemporaryDirectory directory;
  const std::string folder = directory.path().string();
  std::filesystem::copy(recorded("nets-stages.bmodel"), directory / "compilation.bmodel");
  auto file = *bmodel::open_file(recorded("nets-stages.bmodel"));
  auto session = std::move(*Session168x::open(file));
  std::vector<uint8_t> inputs, outputs;
  for (size_t i = 0; i < 3; ++i) {
    const auto in = synthetic(*file.bm168x()->model.net[0]->parameter[i]->input_tensor[0], i + 9);
    const auto out = *session->infer("stages", i, {in});
    inputs.insert(inputs.end(), in.begin(), in.end());
    outputs.insert(outputs.end(), out[0].begin(), out[0].end());
  }
  ASSERT_TRUE(write_bytes(folder + "/input_ref_data.dat", inputs).ok());
  ASSERT_TRUE(write_bytes(folder + "/output_ref_data.dat", outputs).ok());
  EXPECT_EQ(exit_code_of("bmrt_test --context_dir " + folder + " --thread_num 2"), 0);
  outputs[3] ^= 0x40;  // changes an exponent
  ASSERT_TRUE(write_bytes(folder + "/output_ref_data.dat", outputs).ok());
  EXPECT_EQ(exit_code_of("bmrt_test --context_dir " + folder), 1);
  EXPECT_EQ(exit_code_of("bmrt_test --context_dir " + folder + " --stage_idx 1"), 0);
  EXPECT_EQ(exit_code_of("bmrt_test --context_dir " + folder + " --compare 0"), 0);
  outputs.resize(40);
  ASSERT_TRUE(write_bytes(folder + "/output_ref_data.dat", outputs).ok());
  EXPECT_EQ(exit_code_of("bmrt_test --context_dir " + folder), 2);
  EXPECT_EQ(exit_code_of("bmrt_test --bmodel " + recorded("nets-stages.bmodel") +
                         " --shapes [1,3,12,10] --loopnum 2"),
            0);
}

// Stages that are separated and combined again give the same results.
TEST(Bm168xTools, PartsOfAFile) {
  const TemporaryDirectory directory;
  auto file = *bmodel::open_file(recorded("nets-stages.bmodel"));
  std::string parts;
  for (size_t i = 0; i < 3; ++i) {
    const auto part = b168x::stage_alone(*file.bm168x(), 0, i);
    const std::string path = (directory / std::to_string(i)).string();
    ASSERT_TRUE(write_bytes(path, b168x::write(part.model, part.binary)).ok());
    parts += path + " ";
  }
  const std::string whole = (directory / "whole.bmodel").string();
  ASSERT_EQ(exit_code_of("tpu_model --combine " + parts + "-o " + whole), 0);
  auto combined = bmodel::open_file(whole);
  ASSERT_TRUE(combined.ok()) << combined.status().message();
  ASSERT_EQ(combined->bm168x()->model.net.size(), 1u);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(run_168x(*combined, {.stage = i})->output, run_168x(file, {.stage = i})->output);
  for (const char* what : {"--info ", "--print ", "--weight "})
    EXPECT_EQ(exit_code_of("tpu_model " + (what + whole)), 0);
  const std::string dumped = (directory / "dump").string();
  EXPECT_EQ(exit_code_of("tpu_model --dump " + whole + " 0x10 32 " + dumped), 0);
  EXPECT_EQ(*read_bytes(dumped), std::vector<uint8_t>(combined->bm168x()->binary.begin() + 16,
                                                      combined->bm168x()->binary.begin() + 48));
  EXPECT_EQ(exit_code_of("tpu_model --kernel_dump " + whole + " -o " + dumped), 2);
}

TEST(Bm168xTools, InfoAndDisassembly) {
  auto file = *bmodel::open_file(recorded("nets-subnets.bmodel"));
  EXPECT_NE(info_text(*file.bm168x()).find("subnet  1: TPU"), std::string::npos);
  const Disassembly shown = disassemble(*file.bm168x(), {.net = "subnets", .stage = {}});
  ASSERT_TRUE(shown.status.ok());
  EXPECT_NE(shown.text.find("conv2d"), std::string::npos);
  EXPECT_FALSE(disassemble(*file.bm168x(), {.net = "none", .stage = {}}).status.ok());
  for (const char* command : {"info ", "info --json ", "print ", "disasm ", "run "})
    EXPECT_EQ(exit_code_of("tputwin " + (command + recorded("nets-subnets.bmodel"))), 0) << command;
}

// If commands of one stage cannot be decoded, the others are still printed.
TEST(Bm168xTools, OneStageThatCannotBeDecoded) {
  const TemporaryDirectory directory;
  auto file = *bmodel::open_file(recorded("nets-stages.bmodel"));
  auto bytes = b168x::write(file.bm168x()->model, file.bm168x()->binary);
  {
    const auto whole = *b168x::read(bytes);
    const auto& group = *groups_of(*whole.model.net[0]->parameter[1]).front();
    const auto commands = whole.bytes(group.binary_gdma);
    std::fill_n(bytes.data() + (commands.data() - bytes.data()), 64, uint8_t{0xff});
  }
  const std::string path = (directory / "net.bmodel").string();
  ASSERT_TRUE(write_bytes(path, bytes).ok());
  const std::string log = (directory / "log").string();
  const auto printed = [&](const std::string& command) {
    const int status = std::system((TPUTWIN_BIN_DIR "/" + command + " >" + log + " 2>&1").c_str());
    const std::vector<uint8_t> text = *read_bytes(log);
    return std::pair(WEXITSTATUS(status), std::string(text.begin(), text.end()));
  };
  const auto [disasm, listing] = printed("tputwin disasm " + path);
  EXPECT_EQ(disasm, 3) << listing;
  EXPECT_NE(listing.find("stage 0 group 0"), std::string::npos) << listing;
  EXPECT_NE(listing.find("stage 2 group 0"), std::string::npos);
  EXPECT_NE(listing.find("error: TW-ISA-"), std::string::npos);
  const auto [timing, report] = printed("tputwin timing -- " + path);
  EXPECT_EQ(timing, 0) << report;
  EXPECT_NE(report.find("not priced: TW-ISA-"), std::string::npos) << report;
  EXPECT_EQ(printed("tputwin timing -- " + path + " --stage 2").second.find("not priced"),
            std::string::npos);
  EXPECT_NE(printed("tputwin timing -- " + path + " --stage 1").first, 0);
}

TEST(Bm168xTools, SubnetsOnTheHost) {
  using b168x::ElementType;
  using b168x::samples::host_tensor;
  const TemporaryDirectory directory;
  b168x::samples::SubnetFile file;
  file.input(host_tensor("x", {4}));
  file.cpu(10002, "abc", {*host_tensor("x", {4})}, {*host_tensor("above", {4})});
  file.cpu("argsort", {*host_tensor("above", {4})},
           {*host_tensor("order", {4}, b168x::ElementType::i32)});
  file.output(host_tensor("order", {4}, b168x::ElementType::i32));
  const std::string path = (directory / "net.bmodel").string();
  const std::string input = (directory / "x.npy").string(), output = (directory / "y").string();
  ASSERT_TRUE(write_bytes(path, file.bytes()).ok());
  ASSERT_TRUE(write_bytes(input, write_npy(floats({3, -1, 2, 0}))).ok());
  const std::string info = info_text(*(*bmodel::open_file(path)).bm168x());
  EXPECT_NE(info.find("subnet  0: CPU, x -> above, next 1"), std::string::npos) << info;
  EXPECT_NE(info.find("operator 10002, 3 bytes of parameters"), std::string::npos);
  EXPECT_NE(info.find("\n              argsort\n"), std::string::npos);
  for (const char* command : {"info ", "info --json ", "print "})
    EXPECT_EQ(exit_code_of("tputwin " + (command + path)), 0) << command;
  // two values are above 0, so there are two positions
  const std::string run = "tputwin run " + path + " --input " + input + " --output " + output;
  EXPECT_NE(exit_code_of(run), 0);
  ASSERT_EQ(exit_code_of(run + " --cpuops " TPUTWIN_HOST_OPERATORS), 0);
  EXPECT_EQ(*read_bytes(output), (std::vector<uint8_t>{1, 0, 0, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace tputwin::tools
