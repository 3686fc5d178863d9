// The fuzz targets: each takes any bytes and says what went wrong, "" if nothing. Refusing an input
// is right; crashing, reading outside it, or changing it on the way through is wrong.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tputwin::fuzz {

using Bytes = std::vector<uint8_t>;

// Decodes a command buffer, encodes it again, prints it, and runs it on two small devices, with
// fast and with reference bodies, which must leave the same bytes.
std::string fuzz_cmdbuf(std::span<const uint8_t> input);
// Decodes commands of the BM1684X, encodes and decodes them again, and runs them like those. The
// first byte chooses the engine.
std::string fuzz_bm1684x_commands(std::span<const uint8_t> input);
// The same of a group, both streams in their order (stream_mutator.h).
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
// Reads a calibration table, writes it in both forms, reads it again.
std::string fuzz_table(std::span<const uint8_t> input);

// Files that are no models: pictures of any kind; the JSON beside a model; arrays of numpy; data
// sets of the MNIST form; recordings of runs, which are repeated; recordings of commands, which are
// timed; checkpoints of calibrations, which are put together; what a board was timed on; lines of
// labels and suppressions.
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
  std::vector<Bytes> (*seeds)();              // valid inputs, made by our own writers
  bool (*accepts)(std::span<const uint8_t>);  // whether an input is valid
  // Changes of its own, which keep an input what it is; nullptr: any bytes are changed.
  Bytes (*mutate)(std::span<const uint8_t>, uint64_t seed) = nullptr;
  unsigned cost = 1;  // so much longer than others a run takes: tests try so many times fewer
};
std::span<const Target> targets();

std::vector<Bytes> prototxt_seeds();
std::vector<Bytes> caffemodel_seeds();
std::vector<Bytes> table_seeds();
std::vector<Bytes> bm1684x_command_seeds();
std::vector<Bytes> bm1684x_stream_seeds();
std::vector<Bytes> bm1684_stream_seeds();
bool is_bm1684x_command(std::span<const uint8_t> input);
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
