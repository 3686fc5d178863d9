// Builds a LeNet with two customized layers: ReLU with a slope on the TPU, ELU on the host.
//
//   custom_lenet PROTOTXT INT8_CAFFEMODEL TABLE PLUGIN_FOLDER BMODEL
//
// The bmodel carries the plugin of ELU; TPUTWIN_ALLOW_NATIVE_PLUGINS=1 runs it.
#include <stdio.h>

#include "elu.h"
#include "leaky_relu.h"

int main(int argc, char** argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: custom_lenet PROTOTXT INT8_CAFFEMODEL TABLE PLUGIN_FOLDER BMODEL\n");
    return 2;
  }
  try {
    bmnet::CaffeBuilder<int8_t> builder(BM_CHIP_BM1880, argv[1], argv[2], nullptr, argv[3],
                                        nullptr);
    builder.addCustomizedLayer(new LeakyReluLayer);
    builder.addCustomizedTensorInst(new LeakyReluInst);
    builder.addCustomizedLayer(new EluLayer);
    builder.addCustomizedTensorInst(new EluInst);
    builder.build(1, 1, 28, 28, BM_OPT_LAYER_GROUP_WITH_WEIGHT_OPT);
    builder.store_model("lenet", argv[5], argv[4]);
    printf("%s: %zu bytes of commands, %zu of weights\n", argv[5], builder.cmdbuf.size(),
           builder.weight.size());
  } catch (const std::exception& e) {
    fprintf(stderr, "custom_lenet: %s\n", e.what());
    return 1;
  }
  return 0;
}
