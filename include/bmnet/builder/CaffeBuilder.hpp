// CaffeBuilder: compiles a Caffe model to a bmodel. (BMNNSDK API v1, "CaffeBuilder"; BMNet guide
// 3.6)
//
//   bmnet::CaffeBuilder<int8_t> builder(BM_CHIP_BM1880, "deploy.prototxt", "int8.caffemodel",
//                                       nullptr, "table.pb2", nullptr);
//   builder.build(1, 3, 224, 224, BM_OPT_LAYER_GROUP_WITH_WEIGHT_OPT);
//   builder.store_model("net", "net.bmodel");
#ifndef BMNET_BUILDER_CAFFEBUILDER_HPP
#define BMNET_BUILDER_CAFFEBUILDER_HPP

#include <bmnet/builder/Builder.hpp>
#include <bmnet/frontend/caffe/CustomizedCaffeLayer.hpp>

namespace bmnet {

class CaffeBuilderBase : public BuilderBase {
 public:
  // - modified_proto: the graph; NULL: that of the caffemodel.
  // - caffemodel: weights, found by layer name. They are int8, or floats, which are quantized with
  //   the thresholds of the table.
  // - weight_bin: NULL, or a file of store_weight(), checked against the weights.
  // - in_ctable: calibration table.
  // - out_ctable: NULL, or a file that receives the table as used.
  // - enable_dequantized: outputs are floats.
  CaffeBuilderBase(CHIP_VER ver, const char* modified_proto, const char* caffemodel,
                   const char* weight_bin, const char* in_ctable, const char* out_ctable,
                   bool enable_dequantized = false);
  CaffeBuilderBase(CHIP_VER ver, const char* modified_proto, const char* caffemodel,
                   const char* weight_bin);
  ~CaffeBuilderBase() override;

  // Adds a layer for its layer_name(), which may be a built-in type. The builder owns it.
  void addCustomizedLayer(Layer* layer);
};

template <typename T = int8_t>
class CaffeBuilder : public CaffeBuilderBase {
 public:
  CaffeBuilder(CHIP_VER ver, const char* modified_proto, const char* caffemodel,
               const char* weight_bin, const char* in_ctable, const char* out_ctable,
               bool enable_dequantized = false)
      : CaffeBuilderBase(ver, modified_proto, caffemodel, weight_bin, in_ctable, out_ctable,
                         enable_dequantized) {
    static_assert(sizeof(T) == 1, "the BM1880 computes with int8_t");
  }
  CaffeBuilder(CHIP_VER ver, const char* modified_proto, const char* caffemodel,
               const char* weight_bin)
      : CaffeBuilderBase(ver, modified_proto, caffemodel, weight_bin) {}
};

#if __cplusplus >= 201703L
// For programs that write the name without the element type.
CaffeBuilder(CHIP_VER, const char*, const char*, const char*, const char*, const char*)
    ->CaffeBuilder<int8_t>;
CaffeBuilder(CHIP_VER, const char*, const char*, const char*)->CaffeBuilder<int8_t>;
#endif

}  // namespace bmnet

#endif
