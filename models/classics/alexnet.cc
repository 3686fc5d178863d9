// AlexNet and VGG16.
#include "classics/graph.h"

namespace tputwin::models {

caffe::NetParameter alexnet() {
  Graph g("AlexNet");
  Name x = g.input({1, 3, 227, 227});
  x = g.lrn("norm1", g.conv_relu("conv1", x, {.outputs = 96, .kernel = 11, .stride = 4}));
  x = g.max_pool("pool1", x, 3, 2);
  x = g.conv_relu("conv2", x, {.outputs = 256, .kernel = 5, .pad = 2, .group = 2});
  x = g.max_pool("pool2", g.lrn("norm2", x), 3, 2);
  x = g.conv_relu("conv3", x, {.outputs = 384, .kernel = 3, .pad = 1});
  x = g.conv_relu("conv4", x, {.outputs = 384, .kernel = 3, .pad = 1, .group = 2});
  x = g.conv_relu("conv5", x, {.outputs = 256, .kernel = 3, .pad = 1, .group = 2});
  x = g.max_pool("pool5", x, 3, 2);
  x = g.dropout("drop6", g.relu("relu6", g.fc("fc6", x, 4096)));
  x = g.dropout("drop7", g.relu("relu7", g.fc("fc7", x, 4096)));
  g.softmax("prob", g.fc("fc8", x, 1000));
  return g.net;
}

caffe::NetParameter vgg16() {
  Graph g("VGG16");
  Name x = g.input({1, 3, 224, 224});
  struct Stage {
    int convolutions, outputs;
  };
  int stage = 0;
  for (const Stage& s : {Stage{2, 64}, {2, 128}, {3, 256}, {3, 512}, {3, 512}}) {
    const std::string number = std::to_string(++stage);
    for (int i = 1; i <= s.convolutions; ++i)
      x = g.conv_relu("conv" + number + "_" + std::to_string(i), x,
                      {.outputs = s.outputs, .kernel = 3, .pad = 1});
    x = g.max_pool("pool" + number, x, 2, 2);
  }
  x = g.dropout("drop6", g.relu("relu6", g.fc("fc6", x, 4096)));
  x = g.dropout("drop7", g.relu("relu7", g.fc("fc7", x, 4096)));
  g.softmax("prob", g.fc("fc8", x, 1000));
  return g.net;
}

}  // namespace tputwin::models
