// CustomizedTensorFixedInst: base of a user's instructions. (BMNNSDK API v1,
// "CustomizedTensorFixedInst")
#ifndef BMNET_TARGETS_PLAT_BM188X_CUSTOMIZEDTENSORFIXEDINST_HPP
#define BMNET_TARGETS_PLAT_BM188X_CUSTOMIZEDTENSORFIXEDINST_HPP

#include <bmnet/backend/TensorFixedInst.hpp>
#include <bmnet/targets/Target.hpp>
#include <bmnet/targets/plat-bm188x/BM188xBackendContext.hpp>

namespace bmnet {

class CustomizedTensorFixedInst : public TensorFixedInst {
 public:
  CustomizedTensorFixedInst() : _ctx(nullptr), ctx_(nullptr) {}
  ~CustomizedTensorFixedInst() {}
  void set_context(BackendContext* context) override {
    _ctx = ctx_ = static_cast<BM188xBackendContext*>(context);
  }

 protected:
  // Return the bases of neuron and weight memory: 0, because CTRL_NEURON and CTRL_WEIGHT make
  // addresses relative to them.
  u64 get_global_neuron_base() { return 0; }
  u64 get_global_weight_base() { return 0; }

  // One context under the names of SDK 1.0 and 1.1.
  BM188xBackendContext* _ctx;
  BM188xBackendContext* ctx_;
};

}  // namespace bmnet

#endif
