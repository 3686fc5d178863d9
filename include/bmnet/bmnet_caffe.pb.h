// Caffe's messages, bmnet::caffe. A program may bring classes of its own, generated from its copy
// of bmnet_caffe.proto with further fields, and link their bmnet_caffe.pb.cc: its folder comes
// before ours in the include path, its header being bmnet_caffe.pb.h or bmnet/bmnet_caffe.pb.h
// there.
//
// Else these are the compiler's messages, which protobuf and the linker know under another name
// (tputwin.caffe), so that both may live in one process.
#ifndef BMNET_BMNET_CAFFE_PB_H
#define BMNET_BMNET_CAFFE_PB_H

#ifdef __has_include
#if __has_include(<bmnet_caffe.pb.h>)
#include <bmnet_caffe.pb.h>  // the program's, or this file again
#endif
#endif

// What protoc guards the program's header by.
#ifndef GOOGLE_PROTOBUF_INCLUDED_bmnet_5fcaffe_2eproto
#define GOOGLE_PROTOBUF_INCLUDED_bmnet_5fcaffe_2eproto

#include <bmnet/tputwin_caffe.pb.h>

namespace bmnet {
namespace caffe = ::tputwin::caffe;
}

#endif
#endif
