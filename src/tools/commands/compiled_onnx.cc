// Compiles an ONNX net into a folder of its own.
#include "tools/commands/compiled_onnx.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/errors/base.h"
#include "bmnet/caffe/import.h"
#include "bmnet/onnx/load.h"
#include "tools/compile.h"

namespace tputwin::tools {

namespace fs = std::filesystem;

Result<std::vector<std::string>> onnx_inputs(const std::string& onnx,
                                             const std::vector<std::vector<int64_t>>& shapes) {
  net::ImportOptions options;
  for (const std::vector<int64_t>& shape : shapes)
    options.input_shapes.push_back(net::make_shape(shape));
  TW_ASSIGN_OR_RETURN(loaded, net::load_net("", onnx, options));
  TW_ASSIGN_OR_RETURN(network, net::import_caffe(loaded.net, loaded.left_of(options)));
  std::vector<std::string> names;
  for (const std::string& input : network.inputs()) names.push_back(network.blob_name(input));
  return names;
}

Result<std::unique_ptr<CompiledOnnx>> CompiledOnnx::make(const std::string& onnx,
                                                         const std::string& table,
                                                         std::vector<std::vector<int64_t>> shapes) {
  std::error_code error;
  std::string folder = (fs::temp_directory_path(error) / "tputwin-onnx-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    return Error(errors::sys_file_write).argument("file", folder).detail(std::strerror(errno));
  const std::string name = fs::path(onnx).stem();
  std::unique_ptr<CompiledOnnx> made(new CompiledOnnx(folder + "/" + name + ".bmodel"));
  CompileRequest request;
  request.caffemodel = onnx;
  request.table = table;
  request.shapes = std::move(shapes);
  request.name = name;
  request.model = made->path();
  TW_RETURN_IF_ERROR(compile_caffe(request).status());
  return made;
}

CompiledOnnx::~CompiledOnnx() {
  std::error_code ignored;
  fs::remove_all(fs::path(path_).parent_path(), ignored);
}

}  // namespace tputwin::tools
