// GoogLeNet (Inception v1) and SqueezeNet 1.1.
#include "classics/graph.h"

namespace tputwin::models {
namespace {

struct Inception {
  const char* name;
  int one, reduce3, three, reduce5, five, pool;
};

Name inception(Graph& g, const Name& x, const Inception& i) {
  const Name n = std::string("inception_") + i.name + "/";
  const Name a = g.conv_relu(n + "1x1", x, {.outputs = i.one});
  Name b = g.conv_relu(n + "3x3_reduce", x, {.outputs = i.reduce3});
  b = g.conv_relu(n + "3x3", b, {.outputs = i.three, .kernel = 3, .pad = 1});
  Name c = g.conv_relu(n + "5x5_reduce", x, {.outputs = i.reduce5});
  c = g.conv_relu(n + "5x5", c, {.outputs = i.five, .kernel = 5, .pad = 2});
  const Name d =
      g.conv_relu(n + "pool_proj", g.max_pool(n + "pool", x, 3, 1, 1), {.outputs = i.pool});
  return g.concat(n + "output", {a, b, c, d});
}

Name fire(Graph& g, const Name& name, const Name& x, int squeeze, int expand) {
  const Name s = g.conv_relu(name + "/squeeze1x1", x, {.outputs = squeeze});
  const Name a = g.conv_relu(name + "/expand1x1", s, {.outputs = expand});
  const Name b = g.conv_relu(name + "/expand3x3", s, {.outputs = expand, .kernel = 3, .pad = 1});
  return g.concat(name + "/concat", {a, b});
}

}  // namespace

caffe::NetParameter googlenet() {
  Graph g("GoogLeNet");
  Name x = g.input({1, 3, 224, 224});
  x = g.conv_relu("conv1/7x7_s2", x, {.outputs = 64, .kernel = 7, .stride = 2, .pad = 3});
  x = g.lrn("pool1/norm1", g.max_pool("pool1/3x3_s2", x, 3, 2));
  x = g.conv_relu("conv2/3x3_reduce", x, {.outputs = 64});
  x = g.conv_relu("conv2/3x3", x, {.outputs = 192, .kernel = 3, .pad = 1});
  x = g.max_pool("pool2/3x3_s2", g.lrn("conv2/norm2", x), 3, 2);
  x = inception(g, x, {"3a", 64, 96, 128, 16, 32, 32});
  x = inception(g, x, {"3b", 128, 128, 192, 32, 96, 64});
  x = g.max_pool("pool3/3x3_s2", x, 3, 2);
  x = inception(g, x, {"4a", 192, 96, 208, 16, 48, 64});
  x = inception(g, x, {"4b", 160, 112, 224, 24, 64, 64});
  x = inception(g, x, {"4c", 128, 128, 256, 24, 64, 64});
  x = inception(g, x, {"4d", 112, 144, 288, 32, 64, 64});
  x = inception(g, x, {"4e", 256, 160, 320, 32, 128, 128});
  x = g.max_pool("pool4/3x3_s2", x, 3, 2);
  x = inception(g, x, {"5a", 256, 160, 320, 32, 128, 128});
  x = inception(g, x, {"5b", 384, 192, 384, 48, 128, 128});
  x = g.dropout("pool5/drop_7x7_s1", g.ave_pool("pool5/7x7_s1", x, 7, 1));
  g.softmax("prob", g.fc("loss3/classifier", x, 1000));
  return g.net;
}

caffe::NetParameter squeezenet() {
  Graph g("SqueezeNet_v1.1");
  Name x = g.input({1, 3, 227, 227});
  x = g.conv_relu("conv1", x, {.outputs = 64, .kernel = 3, .stride = 2});
  x = g.max_pool("pool1", x, 3, 2);
  x = fire(g, "fire3", fire(g, "fire2", x, 16, 64), 16, 64);
  x = g.max_pool("pool3", x, 3, 2);
  x = fire(g, "fire5", fire(g, "fire4", x, 32, 128), 32, 128);
  x = g.max_pool("pool5", x, 3, 2);
  x = fire(g, "fire7", fire(g, "fire6", x, 48, 192), 48, 192);
  x = fire(g, "fire9", fire(g, "fire8", x, 64, 256), 64, 256);
  x = g.conv_relu("conv10", g.dropout("drop9", x), {.outputs = 1000});
  g.softmax("prob", g.global_pool("pool10", x));
  return g.net;
}

}  // namespace tputwin::models
