// Net: a net of a bmodel of any chip on a device of its own, with arrays as inputs and outputs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bmodel/open.h"
#include "machine/device.h"
#include "tools/bm168x/npy.h"
#include "tools/runtime.h"

namespace tputwin::tools {

// An input or output of a net.
struct NetTensor {
  // Files of the BM1880 name no inputs: "input0", ...
  std::string name;
  std::string type;  // "int8", "fp32"
  std::vector<uint64_t> shape;
  // For integers: value = (integer - zero_point) * step. 0: the model does not give it.
  double step = 0;
  int zero_point = 0;

  uint64_t count() const;
};

struct NetChoice {
  std::string net;  // may be empty if the file has one
  // Stage of BM1684 and BM1684X by number, or by the shapes below.
  std::optional<size_t> stage;
  // One per input, if there are several stages or varieties.
  ShapeList shapes;
  std::string plugin_directory;
  bool reference = false;  // use the reference kernels
  // BM1684 and BM1684X: libraries of operators on the host, in the form of TPUTWIN_CPUOPS. Empty:
  // those that it names.
  std::string host_libraries = {};
  // BM1684 and BM1684X: several stages and no choice are no error. The first one that has commands
  // is taken, which is said on stderr.
  bool first_stage = false;
};

class Net {
 public:
  virtual ~Net() = default;
  const std::string& name() const { return name_; }
  const Chip& chip() const { return *chip_; }
  // BM1684 and BM1684X: the number of its stage.
  std::optional<size_t> stage() const { return number_; }
  const std::vector<NetTensor>& inputs() const { return inputs_; }
  const std::vector<NetTensor>& outputs() const { return outputs_; }

  // Runs the net on one array for each input: of the tensor's type, or floats, which are quantized.
  // Returns the outputs. `as_float`: integers as fp32 values. Several threads may call it at a
  // time; their runs are executed one after the other.
  virtual Result<std::vector<Array>> run(std::span<const Array> inputs, bool as_float) = 0;
  // Returns the instructions of one run, for their predicted cost (docs/timing.md).
  virtual Result<std::vector<Instruction>> program() = 0;
  // Sets the observer of later instructions, which replaces the previous one; nullptr: none.
  virtual Status watch(Observer* observer) = 0;
  virtual const Device& device() const = 0;

 protected:
  Status check_inputs(std::span<const Array> inputs) const;

  std::string name_;
  const Chip* chip_ = nullptr;
  std::optional<size_t> number_;
  std::vector<NetTensor> inputs_, outputs_;
};

Result<std::unique_ptr<Net>> open_net(std::shared_ptr<const bmodel::OpenFile> file,
                                      const NetChoice& choice);
// Open nets of one family each.
Result<std::unique_ptr<Net>> open_net1880(std::shared_ptr<const bmodel::OpenFile> file,
                                          const NetChoice& choice);
// Returns the bytes of all inputs of a net of the BM1880, from one array for each: of the input's
// type, or floats, which are quantized. `names` are those of errors.
Result<std::vector<uint8_t>> input_bytes(const bmodel::Variety& variety,
                                         std::span<const Array> arrays,
                                         std::span<const std::string> names);
// Returns the outputs of a net of the BM1880 as arrays, from the bytes of all.
NamedArrays output_arrays(const bmodel::Variety& variety, std::span<const uint8_t> bytes);
Result<std::unique_ptr<Net>> open_net168x(std::shared_ptr<const bmodel::OpenFile> file,
                                          const NetChoice& choice);

// Returns the byte for a value in a tensor of the BM1880 with this threshold: floor(value * 128 /
// threshold + 0.5), clamped to [-128, 127].
int8_t quantized(float value, float threshold);

}  // namespace tputwin::tools
