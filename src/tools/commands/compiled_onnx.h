// CompiledOnnx: an ONNX net as a bmodel file that exists as long as the object, for commands that
// run files of models.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

// Returns the names of the net's inputs, in the order of the model that it is compiled to.
Result<std::vector<std::string>> onnx_inputs(const std::string& onnx,
                                             const std::vector<std::vector<int64_t>>& shapes);

class CompiledOnnx {
 public:
  // `table` is empty for quantized nets, which have thresholds of their own. There is one shape per
  // input, or none. Errors: those of compilation; sys_file_write.
  static Result<std::unique_ptr<CompiledOnnx>> make(const std::string& onnx,
                                                    const std::string& table,
                                                    std::vector<std::vector<int64_t>> shapes);
  ~CompiledOnnx();
  CompiledOnnx(const CompiledOnnx&) = delete;
  CompiledOnnx& operator=(const CompiledOnnx&) = delete;
  const std::string& path() const { return path_; }

 private:
  explicit CompiledOnnx(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace tputwin::tools
