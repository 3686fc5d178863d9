// Caffe's messages, bmnet::caffe. A program may use its own classes, generated from its copy of
// bmnet_caffe.proto with further fields. It then links their bmnet_caffe.pb.cc, and its folder
// comes before ours in the include path; the header there is bmnet_caffe.pb.h or
// bmnet/bmnet_caffe.pb.h.
//
// Otherwise these are the compiler's messages. protobuf and the linker know them under another name
// (tputwin.caffe), so that both may exist in one process.
#ifndef BMNET_BMNET_CAFFE_PB_H
#define BMNET_BMNET_CAFFE_PB_H

#ifdef __has_include
#if __has_include(<bmnet_caffe.pb.h>)
#include <bmnet_caffe.pb.h>  // the program's, or this file again
#endif
#endif

// The include guard that protoc writes into the program's header.
#ifndef GOOGLE_PROTOBUF_INCLUDED_bmnet_5fcaffe_2eproto
#define GOOGLE_PROTOBUF_INCLUDED_bmnet_5fcaffe_2eproto

#include <bmnet/tputwin_caffe.pb.h>

namespace bmnet {
namespace caffe = ::tputwin::caffe;
}

#endif
#endif
