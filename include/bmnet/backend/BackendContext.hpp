// BackendContext: state that instructions share while commands are generated.
#ifndef BMNET_BACKEND_BACKENDCONTEXT_HPP
#define BMNET_BACKEND_BACKENDCONTEXT_HPP

#include <bmkernel/bm_kernel.h>
#include <bmnet/utils/common.hpp>

#include <stdint.h>

namespace bmnet {

// The chip in numbers. Sizes in bytes; *_shift are logarithms.
struct hw_info_t {
  int chip_version;
  int nodechip_shift, npu_shift, eu_shift, local_mem_shift;
  int local_mem_banks;
  uint64_t global_mem_size;
  int nodechip_num, npu_num, eu_num;
  int local_mem_size;
  int unit_size;  // of an element
};

class BackendContext {
 public:
  BackendContext() : hw() {}
  virtual ~BackendContext() {}
  hw_info_t hw;
};

}  // namespace bmnet

#endif
