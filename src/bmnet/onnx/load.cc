// Loading of Caffe's files or an ONNX file.
#include "bmnet/onnx/load.h"

#include <dlfcn.h>

#include "base/errors/bmnet.h"
#include "base/file.h"
#include "bmodel/file_kind.h"

namespace tputwin::net {

bool is_onnx_file(const std::string& path) { return path.ends_with(".onnx"); }

Result<ReadOnnx*> find_onnx_reader(const char* library) {
  void* const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void* const symbol = loaded == nullptr ? nullptr : dlsym(loaded, kReadOnnx);
  if (symbol != nullptr) return reinterpret_cast<ReadOnnx*>(symbol);
  const char* reason = dlerror();
  return Error(errors::net_onnx_reader)
      .in("load_net")
      .argument("library", library)
      .detail(reason != nullptr ? reason : "it has no reader");
}

Result<LoadedNet> load_net(const std::string& prototxt, const std::string& model,
                           const ImportOptions& options) {
  if (!is_onnx_file(prototxt) && !is_onnx_file(model)) {
    TW_ASSIGN_OR_RETURN(caffe, load_caffe(prototxt, model));
    return LoadedNet{std::move(caffe), {}, {}, "", false};
  }
  if (!prototxt.empty() && !model.empty())
    return Error(errors::net_cli)
        .in("load_net")
        .argument("model", prototxt + ", " + model)
        .detail("an ONNX file has graph and weights: it comes alone");
  TW_ASSIGN_OR_RETURN(read, find_onnx_reader("libtputwin_onnx.so"));
  const std::string& path = model.empty() ? prototxt : model;
  TW_ASSIGN_OR_RETURN(file, read_bytes(path));
  auto loaded = read(file, path, options);
  if (loaded.ok() || loaded.error().id() != errors::net_onnx) return loaded;
  return bmodel::about_file(loaded.error(), file, path, bmodel::Expected::onnx);
}

}  // namespace tputwin::net
