// The fuzz targets. Each takes any bytes and returns the error, or "". Refusing an input is
// correct. Crashing, reading outside it, or a round trip that changes it is an error.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tputwin::fuzz {

using Bytes = std::vector<uint8_t>;

// Decodes a command buffer, encodes it again, prints it, and runs it on two small devices, with
// fast and with reference kernels, which must give the same bytes.
std::string fuzz_cmdbuf(std::span<const uint8_t> input);
// Decodes commands of the BM1684X, encodes and decodes them again, and runs them on two devices.
// The first byte chooses the engine.
std::string fuzz_bm1684x_commands(std::span<const uint8_t> input);
// Decodes, encodes and runs a group, both streams in their order (stream_mutator.h).
std::string fuzz_bm1684x_streams(std::span<const uint8_t> input);
std::string fuzz_bm1684_streams(std::span<const uint8_t> input);
// Reads a model, writes it, reads it again.
std::string fuzz_bmodel_v011(std::span<const uint8_t> input);
std::string fuzz_bmodel_v21(std::span<const uint8_t> input);
std::string fuzz_bmodel_168x(std::span<const uint8_t> input);
// Draws a graph of subnets of such a file, writes and reads it, checks it and runs it twice.
std::string fuzz_subnets(std::span<const uint8_t> input);
// Reads a Caffe file, writes it, reads it again; makes a network of it, folded and not.
std::string fuzz_prototxt(std::span<const uint8_t> input);
std::string fuzz_caffemodel(std::span<const uint8_t> input);
// Draws a net from the bytes, or reads any ONNX or Caffe model; compiles it for a chip in a type,
// runs it, and compares: with float execution, other levels and the int8 interpreter
// (compiled_net.h).
std::string fuzz_compile(std::span<const uint8_t> input);
std::string fuzz_compile_onnx(std::span<const uint8_t> input);
std::string fuzz_compile_caffe(std::span<const uint8_t> input);
// Reads a calibration table, writes it in both forms, reads it again.
std::string fuzz_table(std::span<const uint8_t> input);

// User files other than models: pictures of any kind; the JSON of a model's description; numpy
// arrays; data sets in MNIST's format; recordings of runs, which are repeated; recordings of
// commands, which are timed; checkpoints of calibrations, which are combined; timings of a board;
// lines of labels and suppressions.
std::string fuzz_picture(std::span<const uint8_t> input);
std::string fuzz_description(std::span<const uint8_t> input);
std::string fuzz_arrays(std::span<const uint8_t> input);
std::string fuzz_idx(std::span<const uint8_t> input);
std::string fuzz_recording(std::span<const uint8_t> input);
std::string fuzz_timeline(std::span<const uint8_t> input);
std::string fuzz_checkpoint(std::span<const uint8_t> input);
std::string fuzz_board(std::span<const uint8_t> input);
std::string fuzz_lines(std::span<const uint8_t> input);

struct Target {
  std::string_view name;
  std::string (*run)(std::span<const uint8_t>);
  std::vector<Bytes> (*seeds)();              // valid inputs, made by tputwin's writers
  bool (*accepts)(std::span<const uint8_t>);  // returns true if an input is valid
  // Changes an input but keeps its format; nullptr: any bytes are changed.
  Bytes (*mutate)(std::span<const uint8_t>, uint64_t seed) = nullptr;
  // Relative time of a run: tests make this many times fewer tries.
  unsigned cost = 1;
};
std::span<const Target> targets();

std::vector<Bytes> prototxt_seeds();
std::vector<Bytes> caffemodel_seeds();
std::vector<Bytes> table_seeds();
std::vector<Bytes> bm1684x_command_seeds();
std::vector<Bytes> bm1684x_stream_seeds();
std::vector<Bytes> bm1684_stream_seeds();
bool is_bm1684x_command(std::span<const uint8_t> input);
std::vector<Bytes> compile_seeds();
bool is_compiled(std::span<const uint8_t> input);
std::vector<Bytes> compile_onnx_seeds();
bool is_compiled_onnx(std::span<const uint8_t> input);
std::vector<Bytes> compile_caffe_seeds();
bool is_compiled_caffe(std::span<const uint8_t> input);
std::vector<Bytes> subnets_seeds();
bool is_subnets(std::span<const uint8_t> input);
bool is_bm1684x_streams(std::span<const uint8_t> input);
bool is_bm1684_streams(std::span<const uint8_t> input);
std::vector<Bytes> picture_seeds();
std::vector<Bytes> description_seeds();
std::vector<Bytes> array_seeds();
std::vector<Bytes> idx_seeds();
std::vector<Bytes> recording_seeds();
std::vector<Bytes> timeline_seeds();
std::vector<Bytes> checkpoint_seeds();
std::vector<Bytes> board_seeds();
std::vector<Bytes> line_seeds();
bool is_picture(std::span<const uint8_t> input);
bool is_description(std::span<const uint8_t> input);
bool is_array(std::span<const uint8_t> input);
bool is_idx_file(std::span<const uint8_t> input);
bool is_recording(std::span<const uint8_t> input);
bool is_timeline(std::span<const uint8_t> input);
bool is_checkpoint(std::span<const uint8_t> input);
bool is_board(std::span<const uint8_t> input);
bool are_lines(std::span<const uint8_t> input);
Bytes mutate_checkpoint(std::span<const uint8_t> input, uint64_t seed);

}  // namespace tputwin::fuzz
