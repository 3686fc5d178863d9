// Random nets of every kind of layer, with the values that Caffe computes for them.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bmnet_caffe_values/semantics.h"

namespace tputwin::net::testing {

struct RandomNet {
  uint64_t seed = 0;
  std::string text;
  std::vector<LayerBlob> file;  // the caffemodel's blobs, in file order
  caffe::NetParameter right;    // every layer with the blobs that Caffe gives it
  Values inputs;
  std::vector<std::string> outputs;  // blobs that no layer reads
  // False if rounding may change the results a lot: for example, whether a box is suppressed.
  bool is_stable = true;
};

// Returns the same net for the same seed.
RandomNet random_net(uint64_t seed);
Values random_inputs(const RandomNet& net, uint64_t seed);

// ---- How it is made ----

// Draws the layers of a net; gives drawing functions access to its blobs.
class NetBuilder {
 public:
  explicit NetBuilder(uint64_t seed);
  RandomNet make();

  // ---- Chance ----
  int64_t between(int64_t low, int64_t high);
  bool chance(double probability);
  float real(float low, float high);
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[static_cast<size_t>(between(0, static_cast<int64_t>(list.size()) - 1))];
  }
  // Returns the text of an axis, counted from the first or from the last.
  std::string axis_text(const std::string& name, int64_t axis, int64_t axes, int64_t otherwise);

  // ---- Blobs of the net ----
  const Tensor& tensor(const std::string& name) const { return tensors_.at(name); }
  std::string any_blob();
  // Returns another blob (or the same one) with the shape of `blob`, except along `axis`; -1: no
  // exception.
  std::string blob_like(const std::string& blob, int64_t axis);

  // ---- A layer ----
  struct Draft {
    std::string type, parameters;
    std::vector<std::string> bottoms;
    int64_t tops = 1;
    std::vector<std::pair<Shape, Floats>> blobs;
    bool in_place = false, is_stable = true;
  };
  Floats weights(const Shape& shape, float low, float high);

 private:
  void add_input(const std::string& name, const Shape& shape);
  bool add_layer(const Draft& draft);
  std::string parameter_text(const Draft& draft, const std::string& name, int layer);
  std::string name_of(const Draft& draft);
  void keep_top(const std::string& top, Tensor tensor, const Draft& draft);
  bool add_again();
  void finish_inputs();
  void add_detector();
  void write_file();

  std::mt19937_64 random_;
  RandomNet net_;
  std::map<std::string, Tensor> tensors_;
  std::vector<std::string> blobs_;              // in the order of creation
  std::map<std::string, int> reads_;            // of a blob
  std::map<std::string, std::string> made_by_;  // type of the layer that made a blob
  // The first blob with a name in `param`; all blobs of that name have its shape.
  struct Owner {
    std::string name, type;
    size_t index;
    Shape shape;
  };
  std::vector<Owner> owners_;
  // A layer of the caffemodel, or one that is not in it and uses the blobs of others.
  struct Stored {
    std::string name;
    int layer;  // of `right`
    bool in_file = true;
    std::vector<std::string> names;  // names of its blobs; empty: unnamed
    std::vector<std::pair<Shape, Floats>> blobs;
  };
  std::vector<Stored> stored_;
  std::vector<std::pair<Draft, Shape>> weighted_;  // layers with blobs, and the shape of the bottom
  int layers_ = 0;
};

// Draws a layer of some kind on a blob; returns nullopt if the blob does not suit.
using Drawer = std::optional<NetBuilder::Draft> (*)(NetBuilder& builder, const std::string& blob);
std::vector<Drawer> window_drawers();
std::vector<Drawer> value_drawers();
std::vector<Drawer> move_drawers();

}  // namespace tputwin::net::testing
