// Nets of the intermediate representation, layer by layer.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bmnet/ir/infer.h"
#include "bmnet_bm1684x/support.h"

namespace tputwin::net::testing {

using Extent = std::vector<int64_t>;

inline TensorOp reshape(const Extent& dims) {
  TensorOp op;
  set_type(op, Op::reshape);
  *op.add_output_shape() = make_shape(dims);
  return op;
}

// A net, layer by layer.
class NetBuilder {
 public:
  Network net{.name = "net"};

  std::string input(const std::string& name, const Extent& dims) {
    TensorOp op;
    set_type(op, Op::start);
    op.add_top(name);
    *op.add_output_shape() = make_shape(dims);
    return add(std::move(op), name);
  }
  std::string layer(TensorOp op, const std::vector<std::string>& bottoms,
                    std::vector<Blob> blobs = {}) {
    const std::string name = fmt::format("t{}", net.ops.size());
    for (const std::string& bottom : bottoms) {
      op.add_bottom(bottom);
      *op.add_input_shape() = *net.shape_of(bottom);
    }
    if (op.top_size() == 0) op.add_top(name);
    auto shapes = infer_shapes(op);
    EXPECT_TRUE(shapes.ok()) << shapes.status().message();
    op.clear_output_shape();
    for (const TensorShape& shape : *shapes) *op.add_output_shape() = shape;
    if (!blobs.empty()) net.blobs[name] = std::move(blobs);
    return add(std::move(op), name);
  }
  // An operator of the host with one result. Blobs come after the bottoms.
  std::string host(const std::string& text, const std::vector<std::string>& bottoms,
                   const Extent& result, std::vector<Blob> blobs = {}) {
    TensorOp op;
    set_type(op, Op::host);
    auto& p = *op.mutable_tg_host_param();
    p.set_text(text);
    for (size_t i = 0; i < blobs.size(); ++i)
      p.add_constant(static_cast<uint32_t>(bottoms.size() + i));
    *p.add_result() = make_shape(result);
    return layer(std::move(op), bottoms, std::move(blobs));
  }
  Network finished(const std::vector<std::string>& outputs) {
    TensorOp end;
    set_type(end, Op::end);
    for (const std::string& tensor : outputs) {
      end.add_bottom(tensor);
      *end.add_input_shape() = *net.shape_of(tensor);
    }
    add(std::move(end), "end");
    return std::move(net);
  }
  Extent dims(const std::string& tensor) const { return net::dims(*net.shape_of(tensor)); }

 private:
  std::string add(TensorOp op, const std::string& name) {
    op.set_name(name);
    net.ops.push_back(std::move(op));
    return net.ops.back().top_size() == 0 ? name : net.ops.back().top(0);
  }
};

}  // namespace tputwin::net::testing
