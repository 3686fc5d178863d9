// Model: what both bmodel containers hold, independent of the container.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::bmodel {

constexpr uint32_t kFormatI8 = 4;  // FMT_I8, the format of everything that names none

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

// Of which layers the commands of a variety are, for people and tools; empty: unknown.
struct LayerRuns {
  struct Run {
    uint32_t layer, commands;  // so many, of names[layer]
    bool operator==(const Run&) const = default;
  };
  std::vector<std::string> names;
  std::vector<Run> runs;  // in the order of the commands

  bool empty() const { return runs.empty(); }
  // The next `commands` are of that layer.
  void append(std::string_view name, uint32_t commands);
  // For every command, the name of its layer.
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
  LayerRuns layers;  // container 2.1 only, which boards' readers pass over

  uint64_t input_bytes() const;
  uint64_t output_offset() const;  // start of the run of outputs
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
  std::string version;  // as written in the file
  Container container = Container::v2_1;
  uint32_t chip = 1880;
  uint32_t node_num = 1;
  uint32_t fmt = kFormatI8;  // of the weights; not judged when read
  std::string type = "A";
  bool weights_behind = false;  // 2.1: weights lie behind the message, not inside it
  std::vector<std::vector<uint8_t>> weights;
  std::vector<Variety> varieties;
  std::vector<Library> libraries;

  // The blob a variety runs with; empty for a model without weights.
  std::span<const uint8_t> weight_of(const Variety& variety) const;
  bool operator==(const Model&) const = default;
};

// Both saturate instead of overflowing.
uint64_t element_count(std::span<const uint32_t> shape);
uint64_t element_bytes(uint32_t fmt);  // of a FMT_* value; 0 if unknown or less than a byte
std::string to_string(std::span<const uint32_t> shape);  // "(1,3,12,12)"

// What must hold of a model whatever it came from; read and write both insist on it.
Status validate(const Model& model);

// Tells the containers apart, reads and validates: every offset, size and shape is checked, an
// error names the field and its value. Never trusts a length of the file.
// Choices where the containers are silent:
//   0.1.1: of several backends the first for a chip of this build is read; sections share no bytes.
//   2.1:   an input without offset follows the one before it, the first lies at 0; inputs and
//          outputs without fmt are int8; weight_info beside inline weights is ignored; a file
//          without the leading magic, as earlier versions of the twin wrote, is a bare message.
Result<Model> read(std::span<const uint8_t> file);
Result<Model> read_file(const std::string& path);

// A model read from a container is written to the same container and framing with equal content; to
// the other one as far as that can express it (an error names what it cannot).
Result<std::vector<uint8_t>> write(const Model& model, Container container);
Status write_file(const Model& model, Container container, const std::string& path);

}  // namespace tputwin::bmodel
