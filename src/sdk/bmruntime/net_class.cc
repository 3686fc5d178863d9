// <libbmruntime/bmruntime.hpp>: networks with blobs as inputs and outputs.
#include <libbmruntime/bmruntime.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <tputwin/error.h>

#include "base/errors/bmruntime.h"
#include "bmodel/bmodel.h"
#include "sdk/bmruntime/api.h"
#include "sdk/bmruntime/network.h"

namespace bmruntime {
namespace {

using tputwin::Error;
namespace errors = tputwin::errors;

// The context that all Net objects share; it exists while one of them does.
std::shared_ptr<bm_context> shared_context() {
  static std::mutex mutex;
  static std::weak_ptr<bm_context> current;
  std::lock_guard lock(mutex);
  if (auto context = current.lock()) return context;
  bmctx_t ctx = nullptr;
  if (bm_init(0, &ctx) != BM_SUCCESS) return nullptr;
  std::shared_ptr<bm_context> context(ctx, bm_exit);
  current = context;
  return context;
}

size_t product(const shape_t& s) { return size_t{s.n} * s.c * s.h * s.w; }

// floor(v + 0.5), clamped to a byte.
int8_t quantize(float x, float threshold) {
  const float q = std::floor(x * 128 / threshold + 0.5f);
  return static_cast<int8_t>(std::fmax(-128.0f, std::fmin(127.0f, q)));
}

// Appends the bytes that an input of the network takes from a blob.
bool append(const Blob& blob, uint32_t fmt, float threshold, std::vector<uint8_t>& bytes) {
  const auto* data = static_cast<const uint8_t*>(blob.data());
  if (data == nullptr) return false;
  if (blob.fmt() == FMT_F32 && fmt == FMT_I8 && threshold > 0) {
    const auto* values = static_cast<const float*>(blob.data());
    for (size_t i = 0; i < blob.count(); ++i)
      bytes.push_back(static_cast<uint8_t>(quantize(values[i], threshold)));
    return true;
  }
  if (blob.fmt() != fmt) return false;
  bytes.insert(bytes.end(), data, data + blob.size());
  return true;
}

int failed(const std::vector<Blob>& inputs) {
  tputwin::rt::with_code("Net::forward", [&]() -> tputwin::Status {
    return Error(errors::bmr_blob).argument("inputs", fmt::format("{} blobs", inputs.size()));
  });
  return -1;
}

}  // namespace

Blob::Blob() : data_(nullptr), shape_(shape_t4(0, 0, 0, 0)), fmt_(FMT_F32) {}
Blob::Blob(void* data, shape_t& shape, uint32_t fmt) : data_(data), shape_(shape), fmt_(fmt) {}
size_t Blob::count() const { return product(shape_); }
size_t Blob::size() const { return count() * tputwin::bmodel::element_bytes(fmt_); }

void Blob::dump() const {
  std::printf("blob (%u,%u,%u,%u) fmt %u:", shape_.n, shape_.c, shape_.h, shape_.w, fmt_);
  for (size_t i = 0; data_ != nullptr && i < count(); ++i) {
    if (fmt_ == FMT_F32) std::printf(" %g", static_cast<const float*>(data_)[i]);
    if (fmt_ == FMT_I8) std::printf(" %d", static_cast<const int8_t*>(data_)[i]);
    if (fmt_ == FMT_U8) std::printf(" %d", static_cast<const uint8_t*>(data_)[i]);
  }
  std::printf("\n");
}

struct Net::State {
  struct Output {
    std::string name;
    std::vector<uint8_t> bytes;
    std::vector<float> floats;
    Blob blob;
  };
  std::shared_ptr<bm_context> context = shared_context();
  bmnet_t net = nullptr;
  std::mutex mutex;  // guards the members below
  // Outputs of the last forward of each thread.
  std::map<std::thread::id, std::vector<Output>> outputs;
  // The thread that ran the last forward of all threads.
  std::thread::id newest;

  void collect(const bmnet_output_info_t& info, const std::vector<uint8_t>& bytes, bool floats);
};

// Splits the bytes of a run into outputs.
void Net::State::collect(const bmnet_output_info_t& info, const std::vector<uint8_t>& bytes,
                         bool floats) {
  std::vector<Output> list(info.output_num);
  const uint8_t* data = bytes.data();
  for (size_t i = 0; i < info.output_num; data += info.size_array[i], ++i) {
    Output& out = list[i];
    out.name = info.name_array[i];
    out.bytes.assign(data, data + info.size_array[i]);
    if (floats && info.fmt_array[i] == FMT_I8) {
      for (uint8_t q : out.bytes)
        out.floats.push_back(static_cast<int8_t>(q) * info.threshold_array[i] / 128);
      out.blob = Blob(out.floats.data(), info.shape_array[i], FMT_F32);
    } else {
      out.blob = Blob(out.bytes.data(), info.shape_array[i], info.fmt_array[i]);
    }
  }
  std::lock_guard lock(mutex);
  newest = std::this_thread::get_id();
  outputs[newest] = std::move(list);
}

Net::Net(const std::string& bmodel) : state_(new State) {
  if (state_->context == nullptr ||
      bmnet_register_bmodel(state_->context.get(), bmodel.c_str(), &state_->net) != BM_SUCCESS)
    throw std::runtime_error(tputwin_last_error());
}

Net::~Net() { bmnet_cleanup(state_->net); }

int Net::forward(std::vector<Blob>& inputs) {
  std::vector<shape_t> shapes;
  for (const Blob& blob : inputs) shapes.push_back(blob.shape());
  auto network = tputwin::rt::find_network(state_->net);
  if (!network.ok()) return -1;
  // no other thread selects a variety during the run
  std::lock_guard lock(network.value()->run_mutex());
  if (bmnet_set_input_shape2(state_->net, shapes.data(), static_cast<int>(shapes.size())) !=
      BM_SUCCESS)
    return -1;
  const bmnet_input_info_t& in = *bmnet_get_input_info(state_->net);
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!append(inputs[i], in.fmt_array[i], in.threshold_array[i], bytes)) return failed(inputs);
  bmnet_output_info_t out;
  if (bmnet_get_output_info(state_->net, &out) != BM_SUCCESS) return -1;
  std::vector<uint8_t> results(out.output_size);
  if (bmnet_inference(state_->net, bytes.data(), results.data()) != BM_SUCCESS) return -1;
  bool floats = std::ranges::any_of(inputs, [](auto& blob) { return blob.fmt() == FMT_F32; });
  state_->collect(out, results, floats);
  return 0;
}

Blob* Net::output(const std::string& name) {
  std::lock_guard lock(state_->mutex);
  auto own = state_->outputs.find(std::this_thread::get_id());
  if (own == state_->outputs.end()) own = state_->outputs.find(state_->newest);
  if (own == state_->outputs.end()) return nullptr;
  for (auto& out : own->second)
    if (out.name == name) return &out.blob;
  return nullptr;
}

}  // namespace bmruntime
