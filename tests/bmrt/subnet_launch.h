// Launches of files of subnets that tests make.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "bmodel/subnets168x.h"
#include "bmrt/support.h"

namespace tputwin::testing {

using bmodel::bm168x::ElementType;
using bmodel::bm168x::TensorT;
using bmodel::bm168x::samples::host_tensor;
using bmodel::bm168x::samples::SubnetFile;

inline TensorT f32(std::string name, std::vector<uint64_t> dims) {
  return *host_tensor(name, dims);
}
inline TensorT i32(std::string name, std::vector<uint64_t> dims) {
  return *host_tensor(name, dims, ElementType::i32);
}
inline std::vector<uint64_t> dims_of(const TensorT& tensor) { return tensor.shape[0]->dim; }
inline std::unique_ptr<TensorT> owned(const TensorT& tensor) {
  return std::make_unique<TensorT>(tensor);
}

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  const auto* from = reinterpret_cast<const uint8_t*>(values.data());
  return {from, from + values.size() * sizeof(T)};
}
template <class T>
std::vector<T> values_of(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

class Subnets : public Bmrt {
 protected:
  explicit Subnets(const Chip& chip = bm1684x()) : Bmrt(chip) {}

  struct Output {
    bm_shape_t shape;
    Bytes bytes;
  };
  // Loads the file's net under a new name, because names must be unique.
  const bm_net_info_t* load_net(SubnetFile& file) {
    file.net().name += std::to_string(++nets_);
    const Bytes bytes = file.bytes();
    EXPECT_TRUE(bmrt_load_bmodel_data(runtime, bytes.data(), bytes.size())) << tputwin_last_error();
    return bmrt_get_network_info(runtime, file.net().name.c_str());
  }
  // Launches on host memory; returns no outputs if the launch failed.
  std::vector<Output> launch(SubnetFile& file, std::vector<Bytes> inputs) {
    const bm_net_info_t* net = load_net(file);
    if (net == nullptr) return {};
    std::vector<void*> in, out(static_cast<size_t>(net->output_num));
    for (Bytes& bytes : inputs) in.push_back(bytes.data());
    std::vector<bm_shape_t> shapes(out.size());
    if (!bmrt_launch_data(runtime, net->name, in.data(), net->stages[0].input_shapes,
                          net->input_num, out.data(), shapes.data(), net->output_num, false))
      return {};
    std::vector<Output> result;
    for (size_t i = 0; i < out.size(); ++i) {
      const bm_tensor_t tensor{net->output_dtypes[i], shapes[i], {}, {}};
      const auto* bytes = static_cast<const uint8_t*>(out[i]);
      result.push_back({shapes[i], {bytes, bytes + bmrt_tensor_bytesize(&tensor)}});
      std::free(out[i]);
    }
    return result;
  }
  std::string refused(SubnetFile& file, std::vector<Bytes> inputs) {
    EXPECT_TRUE(launch(file, std::move(inputs)).empty());
    return tputwin_last_error();
  }

 private:
  int nets_ = 0;
};

}  // namespace tputwin::testing
