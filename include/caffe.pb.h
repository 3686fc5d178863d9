// Caffe's messages under the path and namespace of SDK 1.1.
#ifndef BMNET_CAFFE_PB_H
#define BMNET_CAFFE_PB_H

#include <bmnet/bmnet_caffe.pb.h>

namespace caffe = bmnet::caffe;

#endif
