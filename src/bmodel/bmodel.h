// Model: the content of both bmodel containers, independent of the container.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::bmodel {

constexpr uint32_t kFormatI8 = 4;  // FMT_I8, the default of every format.

struct Input {
  std::vector<uint32_t> shape;
  float threshold = 0;
  uint32_t fmt = kFormatI8;
  uint64_t offset = 0;  // in neuron memory

  uint64_t bytes() const;
  bool operator==(const Input&) const = default;
};

struct Output {
  std::string name;
  std::vector<uint32_t> shape;
  uint64_t offset = 0;  // in neuron memory
  float threshold = 0;
  uint32_t fmt = kFormatI8;

  uint64_t bytes() const;
  bool operator==(const Output&) const = default;
};

// Layers of the commands of a variety, for users and tools. Empty if unknown.
struct LayerRuns {
  struct Run {
    uint32_t layer, commands;  // number of commands of names[layer]
    bool operator==(const Run&) const = default;
  };
  std::vector<std::string> names;
  std::vector<Run> runs;  // in the order of the commands

  bool empty() const { return runs.empty(); }
  // Assigns the next `commands` to the layer `name`.
  void append(std::string_view name, uint32_t commands);
  // Returns the name of the layer for every command.
  std::vector<std::string_view> by_command() const;
  bool operator==(const LayerRuns&) const = default;
};

// One compiled variant per set of input shapes.
struct Variety {
  std::vector<Input> inputs;
  std::vector<uint8_t> cmdbuf;
  uint64_t neuron_size = 0;
  std::vector<Output> outputs;
  uint32_t weight_index = 0;
  // Container 2.1 only. Readers of boards ignore this field.
  LayerRuns layers;

  uint64_t input_bytes() const;
  uint64_t output_offset() const;  // start of all outputs
  uint64_t output_bytes() const;
  bool operator==(const Variety&) const = default;
};

// A CPU operator plugin carried by the model.
struct Library {
  std::string name;
  std::vector<uint8_t> x86_64, armv8;
  bool operator==(const Library&) const = default;
};

enum class Container : uint8_t { v0_1_1, v2_1 };
std::string_view to_string(Container container);  // "0.1.1", "2.1"

struct Model {
  std::string name;
  std::string version;  // as stored in the file
  Container container = Container::v2_1;
  uint32_t chip = 1880;
  uint32_t node_num = 1;
  uint32_t fmt = kFormatI8;  // format of weights; not checked by read()
  std::string type = "A";
  // 2.1: weights are stored after the message, not inside it.
  bool weights_after_message = false;
  std::vector<std::vector<uint8_t>> weights;
  std::vector<Variety> varieties;
  std::vector<Library> libraries;

  // Returns the weights that a variety runs with; empty for a model without weights.
  std::span<const uint8_t> weight_of(const Variety& variety) const;
  bool operator==(const Model&) const = default;
};

// Saturates instead of overflowing.
uint64_t element_count(std::span<const uint32_t> shape);
// Returns the size of a FMT_* value; 0 if unknown or less than a byte.
uint64_t element_bytes(uint32_t fmt);
std::string to_string(std::span<const uint32_t> shape);  // "(1,3,12,12)"

// Checks the rules for models of any origin. read() and write() enforce them.
Status validate(const Model& model);

// Detects the container, reads and validates. Every offset, size and shape is checked, and every
// length of the file. An error names the field and its value.
// Choices where the containers are silent:
//   0.1.1: of several backends the first for a chip of this build is read; sections share no bytes.
//   2.1:   an input without offset follows the previous one, the first is at 0; inputs and outputs
//          without fmt are int8; weight_info is ignored if there are inline weights; a file without
//          the leading magic, as earlier versions of tputwin wrote, is a bare message.
Result<Model> read(std::span<const uint8_t> file);
Result<Model> read_file(const std::string& path);

// Writes a model. Reading the result gives equal content if the model was read from the same
// container, with the same framing. The other container gets the content that it can express; for
// other content an error names the field.
Result<std::vector<uint8_t>> write(const Model& model, Container container);
Status write_file(const Model& model, Container container, const std::string& path);

}  // namespace tputwin::bmodel
