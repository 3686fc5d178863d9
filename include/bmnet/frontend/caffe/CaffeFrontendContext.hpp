#ifndef BMNET_FRONTEND_CAFFE_CAFFEFRONTENDCONTEXT_HPP
#define BMNET_FRONTEND_CAFFE_CAFFEFRONTENDCONTEXT_HPP

#include <bmnet/frontend/FrontendContext.hpp>

namespace bmnet {

class CaffeFrontendContext : public FrontendContext {};

}  // namespace bmnet

#endif
