// Loading of Caffe's files or an ONNX file.
#include "bmnet/onnx/load.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

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

namespace {

// Adds to the refusal of a net with another batch what to do.
Error about_batch(const Error& error, const ImportOptions& options, bool is_open) {
  const std::string advice = fmt::format(
      "the file was read with the batch {} (--batch, ImportOptions::batch): export it {}for this "
      "batch, or give the shapes of all inputs by --shape, once per input",
      options.batch, is_open ? "" : "with an open first extent, or ");
  return Error(error.id())
      .in(error.call())
      .argument(error.argument(), error.value())
      .detail(error.detail().empty() ? advice : error.detail() + "; " + advice)
      .see(error.reference());
}

// Reads an ONNX file with the batch of the options.
Result<LoadedNet> read_batch(ReadOnnx& read, std::span<const uint8_t> file, const std::string& path,
                             const ImportOptions& options) {
  auto loaded = read(file, path, options);
  if (loaded.ok()) {
    loaded->has_batch = true;
    return loaded;
  }
  ImportOptions own = options;
  own.batch = 0;
  auto single = read(file, path, own);
  if (!single.ok()) return single;
  if (!single->has_open_batch && import_caffe(single->net, single->left_of(options)).ok())
    return single;
  return about_batch(loaded.error(), options, single->has_open_batch);
}

}  // namespace

ImportOptions LoadedNet::left_of(ImportOptions options) const {
  if (is_onnx) options.input_shapes.clear();
  if (has_batch) options.batch = 0;
  return options;
}

Result<LoadedNet> load_net(const std::string& prototxt, const std::string& model,
                           const ImportOptions& options) {
  if (!is_onnx_file(prototxt) && !is_onnx_file(model)) {
    if (!options.outputs.empty())
      return Error(errors::net_cli)
          .in("load_net")
          .argument("--output-names (ImportOptions::outputs)", options.outputs[0])
          .detail("only an ONNX file is cut; take the layers behind it out of the prototxt")
          .see("docs/onnx.md");
    TW_ASSIGN_OR_RETURN(caffe, load_caffe(prototxt, model));
    return LoadedNet{std::move(caffe), {}, {}, ""};
  }
  if (!prototxt.empty() && !model.empty())
    return Error(errors::net_cli)
        .in("load_net")
        .argument("model", prototxt + ", " + model)
        .detail("an ONNX file has graph and weights: it comes alone");
  TW_ASSIGN_OR_RETURN(read, find_onnx_reader("libtputwin_onnx.so"));
  const std::string& path = model.empty() ? prototxt : model;
  TW_ASSIGN_OR_RETURN(file, read_bytes(path));
  auto loaded =
      options.batch == 0 ? read(file, path, options) : read_batch(*read, file, path, options);
  if (loaded.ok() || loaded.error().id() != errors::net_onnx) return loaded;
  return bmodel::about_file(loaded.error(), file, path, bmodel::Expected::onnx);
}

namespace {

// Returns the operations with numbers for names, since names of reshapes have their extents.
std::vector<std::string> numbered(const Network& network) {
  std::map<std::string, std::string> numbers;
  std::vector<std::string> all;
  for (TensorOp op : network.ops) {
    op.clear_name();
    op.clear_calib_id();
    for (std::string& tensor : *op.mutable_bottom()) tensor = numbers[tensor];
    for (std::string& tensor : *op.mutable_top())
      tensor = numbers[tensor] = std::to_string(numbers.size());
    all.push_back(op.SerializeAsString());
  }
  return all;
}

std::vector<Blob> blobs_of(const Network& network, const TensorOp& op) {
  const auto found = network.blobs.find(op.name());
  return found == network.blobs.end() ? std::vector<Blob>() : found->second;
}

bool are_equal(const Network& a, const Network& b) {
  const auto are_same = [](const Blob& p, const Blob& q) {
    return p.shape == q.shape && p.data == q.data;
  };
  return numbered(a) == numbered(b) &&
         std::ranges::equal(a.ops, b.ops, [&](const TensorOp& p, const TensorOp& q) {
           return std::ranges::equal(blobs_of(a, p), blobs_of(b, q), are_same);
         });
}

}  // namespace

bool keeps_meaning_with_batch(const LoadedNet& net, const std::string& prototxt,
                              const std::string& model, const ImportOptions& options) {
  // A Slice up to some row, for example, is another layer only for more rows than that.
  constexpr int64_t kBatches[] = {2, 100};
  for (const int64_t batch : kBatches) {
    ImportOptions other = options;
    other.batch = batch;
    const auto changed = import_caffe(net.net, net.left_of(other));
    if (!changed.ok()) continue;  // import_caffe() refuses the batch
    const auto loaded = load_net(prototxt, model, other);
    if (!loaded.ok()) return false;
    const auto read = import_caffe(loaded->net, loaded->left_of(other));
    if (!read.ok() || !are_equal(*changed, *read)) return false;
  }
  return true;
}

}  // namespace tputwin::net
