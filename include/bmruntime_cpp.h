/*
 * bmrt for C++: a Context has nets, a Network is one of them with memory for its tensors.
 *
 *   bmruntime::Context context;  context.load_bmodel("net.bmodel");
 *   bmruntime::Network net(context, "net", 0);
 *   net.Inputs()[0]->CopyFrom(data);  net.Forward();  net.Outputs()[0]->CopyTo(result);
 *
 * Calls that fail return a code; tputwin/error.h returns the reason.
 */
#ifndef BMRUNTIME_CPP_H_
#define BMRUNTIME_CPP_H_

#include <memory>
#include <vector>

#include "bmruntime_interface.h"

namespace bmruntime {

class Network;
class Tensor;

size_t ByteSize(bm_data_type_t type);
size_t ByteSize(const bm_device_mem_t& mem);
size_t ByteSize(const bm_tensor_t& tensor);
size_t ByteSize(const Tensor& tensor);
uint64_t Count(const bm_shape_t& shape);
uint64_t Count(const bm_tensor_t& tensor);
uint64_t Count(const Tensor& tensor);
bool IsSameShape(const bm_shape_t& left, const bm_shape_t& right);

class Context {
 public:
  // Creates a context on a device with a handle of its own, or on a handle of the program, which
  // stays open. If the device cannot be opened, every call fails.
  explicit Context(int devid = 0);
  explicit Context(bm_handle_t handle);
  virtual ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  bm_status_t load_bmodel(const void* bmodel_data, size_t size);
  bm_status_t load_bmodel(const char* bmodel_file);
  int get_network_number() const;
  // Names of the runtime's nets; replaces the contents of *names.
  void get_network_names(std::vector<const char*>* names) const;
  // Returns NULL if there is no such net.
  const bm_net_info_t* get_network_info(const char* net_name) const;
  bm_handle_t handle() const { return handle_; }
  void trace() const;

 private:
  friend class Network;
  bm_handle_t handle_ = nullptr;
  bool own_handle_ = false;
  void* runtime_ = nullptr;
};

// An input or output of a network. Its memory holds the largest stage.
class Tensor {
 public:
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  // All bytes, or `size` bytes from byte `offset` on; both stay inside the tensor.
  bm_status_t CopyTo(void* data) const;
  bm_status_t CopyTo(void* data, size_t size, uint64_t offset = 0) const;
  bm_status_t CopyFrom(const void* data);
  bm_status_t CopyFrom(const void* data, size_t size, uint64_t offset = 0);
  // Changes the shape of an input of a network without a fixed stage.
  bm_status_t Reshape(const bm_shape_t& shape);
  size_t ByteSize() const;
  uint64_t num_elements() const;
  const bm_tensor_t* tensor() const { return &tensor_; }
  void set_store_mode(bm_store_mode_t mode) const;
  // Replaces its own memory, which is freed. Memory of the caller is never freed.
  bm_status_t set_device_mem(const bm_device_mem_t& mem);

 private:
  friend class Network;
  Tensor() = default;
  ~Tensor();
  struct Delete {
    void operator()(Tensor* tensor) const { delete tensor; }
  };
  bm_status_t copy_range(size_t size, uint64_t offset, const char* call) const;

  bm_handle_t handle_ = nullptr;
  mutable bm_tensor_t tensor_{};
  bool own_memory_ = false, may_reshape_ = false, has_shape_ = false;
};

class Network {
 public:
  // stage_id -1: the inputs have the shapes that the caller sets by Reshape. Otherwise they have
  // the fixed shapes of the stage. Without such a net or stage, info() is NULL, there are no
  // tensors, and Forward fails.
  Network(const Context& context, const char* net_name, int stage_id = -1);
  virtual ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // Runs the net; with `sync`, waits for it.
  bm_status_t Forward(bool sync = true) const;
  const std::vector<Tensor*>& Inputs() { return inputs_; }
  const std::vector<Tensor*>& Outputs() { return outputs_; }
  // Returns NULL if there is none of that name.
  Tensor* Input(const char* name);
  Tensor* Output(const char* name);
  const bm_net_info_t* info() const { return info_; }

 private:
  void add_tensors(bool of_input, int stage_id);

  void* runtime_ = nullptr;
  bm_handle_t handle_ = nullptr;
  const bm_net_info_t* info_ = nullptr;
  std::vector<Tensor*> inputs_, outputs_;
  std::vector<std::unique_ptr<Tensor, Tensor::Delete>> owned_;
};

}  // namespace bmruntime

#endif
