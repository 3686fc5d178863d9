// Files of a net's inputs, read before its stage is chosen: they may choose it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bmodel/bm168x/model.h"
#include "tools/bm168x/npy.h"

namespace tputwin::tools {

class InputFiles {
 public:
  // `paths` are raw bytes or .npy, one for each input in the order of the file; or one .npz for
  // all, by name. `net` limits how much is read.
  static Result<InputFiles> read(const std::vector<std::string>& paths,
                                 const bmodel::bm168x::NetT& net);

  bool empty() const { return files_.empty(); }
  enum class Fit : uint8_t { none, size, shape };
  // Returns what shows that the inputs are those of a stage: nothing, sizes, shapes of arrays.
  Fit fit(const bmodel::bm168x::NetParameterT& stage) const;
  // Returns the bytes of all inputs of a stage.
  Result<std::vector<std::vector<uint8_t>>> bytes(const bmodel::bm168x::NetParameterT& stage) const;

 private:
  struct File {
    std::string path;
    std::optional<Array> array;  // otherwise raw bytes
    std::vector<uint8_t> raw;
  };
  const Array* named(const std::string& name) const;

  std::vector<File> files_;
  bool is_archive_ = false;
  Arrays arrays_;  // of the archive
};

}  // namespace tputwin::tools
