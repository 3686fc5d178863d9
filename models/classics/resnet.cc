// ResNet-18 and ResNet-50: BatchNorm, Scale and Eltwise.
#include "classics/graph.h"

namespace tputwin::models {
namespace {

struct Block {
  Name name;
  int outputs, stride;
  bool project;  // the shortcut is a convolution
};

Name join(Graph& g, const Block& b, const Name& shortcut, const Name& branch) {
  const Name sum = g.add("res" + b.name, shortcut, branch);
  return g.relu("res" + b.name + "_relu", sum);
}

Name shortcut(Graph& g, const Name& x, const Block& b, int outputs) {
  if (!b.project) return x;
  return g.conv_norm("res" + b.name + "_branch1", x, {.outputs = outputs, .stride = b.stride});
}

Name basic(Graph& g, const Name& x, const Block& b) {
  const Name n = "res" + b.name + "_branch2", side = shortcut(g, x, b, b.outputs);
  Name y = g.conv_norm_relu(n + "a", x,
                            {.outputs = b.outputs, .kernel = 3, .stride = b.stride, .pad = 1});
  y = g.conv_norm(n + "b", y, {.outputs = b.outputs, .kernel = 3, .pad = 1});
  return join(g, b, side, y);
}

Name bottleneck(Graph& g, const Name& x, const Block& b) {
  const Name n = "res" + b.name + "_branch2", side = shortcut(g, x, b, 4 * b.outputs);
  Name y = g.conv_norm_relu(n + "a", x, {.outputs = b.outputs, .stride = b.stride});
  y = g.conv_norm_relu(n + "b", y, {.outputs = b.outputs, .kernel = 3, .pad = 1});
  y = g.conv_norm(n + "c", y, {.outputs = 4 * b.outputs});
  return join(g, b, side, y);
}

caffe::NetParameter resnet(const Name& name, std::initializer_list<int> blocks,
                           Name (*block)(Graph&, const Name&, const Block&), bool project_first) {
  Graph g(name);
  Name x = g.input({1, 3, 224, 224});
  x = g.conv_norm_relu("conv1", x, {.outputs = 64, .kernel = 7, .stride = 2, .pad = 3});
  x = g.max_pool("pool1", x, 3, 2);
  int stage = 2, outputs = 64;
  for (int count : blocks) {
    for (int i = 0; i < count; ++i)
      x = block(g, x,
                {std::to_string(stage) + static_cast<char>('a' + i), outputs,
                 i == 0 && stage > 2 ? 2 : 1, i == 0 && (stage > 2 || project_first)});
    ++stage;
    outputs *= 2;
  }
  g.softmax("prob", g.fc("fc1000", g.global_pool("pool5", x), 1000));
  return g.net;
}

}  // namespace

caffe::NetParameter resnet18() { return resnet("ResNet-18", {2, 2, 2, 2}, basic, false); }
caffe::NetParameter resnet50() { return resnet("ResNet-50", {3, 4, 6, 3}, bottleneck, true); }

}  // namespace tputwin::models
