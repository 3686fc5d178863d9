// FrontendContext: state that layers of a front end share while a net is read.
#ifndef BMNET_FRONTEND_FRONTENDCONTEXT_HPP
#define BMNET_FRONTEND_FRONTENDCONTEXT_HPP

#include <bmnet/utils/common.hpp>

namespace bmnet {

class FrontendContext {
 public:
  virtual ~FrontendContext() {}
};

}  // namespace bmnet

#endif
