// Queries of passes about the tensors of an int8 net.
#include "bmnet/integers/quantized_net.h"

namespace tputwin::net {

float QuantizedNet::threshold_of(std::string_view tensor) const {
  const TensorOp* op = network.producer(tensor);
  const auto& values = integers[static_cast<size_t>(op - network.ops.data())].threshold_y;
  for (int i = 0; i < op->top_size(); ++i)
    if (op->top(i) == tensor && static_cast<size_t>(i) < values.size())
      return values[static_cast<size_t>(i)];
  return 0;
}

}  // namespace tputwin::net
