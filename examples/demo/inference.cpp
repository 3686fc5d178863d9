#include "inference.h"

#include <algorithm>

#include "network.h"

Classifier::Classifier(bmctx_t ctx, const std::vector<uint8_t>& bmodel)
    : net_(NULL), batch_(0), output_bytes_(0), score_count_(0), threshold_(0) {
  uint8_t* data = const_cast<uint8_t*>(bmodel.data());
  if (bmnet_register_bmodel_data(ctx, data, bmodel.size(), &net_) != BM_SUCCESS) {
    net_ = NULL;
    return;
  }
  const bmnet_input_info_t* input = bmnet_get_input_info(net_);
  bmnet_output_info_t output;
  bmnet_set_input_shape(net_, input->shape_array[0]);
  bmnet_get_output_info(net_, &output);
  batch_ = (size_t)input->shape_array[0].n;
  threshold_ = input->threshold_array[0];
  output_bytes_ = output.output_size;
  score_count_ = output.size_array[0] / batch_;
}

Classifier::~Classifier() {
  if (net_) bmnet_cleanup(net_);
}

// Scores are int8; their threshold does not affect which one is highest.
uint8_t Classifier::best_class(const uint8_t* scores) const {
  const int8_t* first = (const int8_t*)scores;
  return (uint8_t)(std::max_element(first, first + score_count_) - first);
}

bool Classifier::classify(const Dataset& images, const std::function<void(size_t)>& progress,
                          std::vector<uint8_t>& classes) {
  // The chip's value for each of the 256 grey values.
  uint8_t quantized[256];
  for (int grey = 0; grey < 256; grey++) {
    const int q = (int)((float)grey * kPixelScale * 128 / threshold_ + 0.5f);
    quantized[grey] = (uint8_t)(int8_t)std::min(127, std::max(-128, q));
  }
  std::vector<uint8_t> input(batch_ * kPixels), output(output_bytes_);
  classes.resize(images.count());
  for (size_t first = 0; first < images.count(); first += batch_) {
    const size_t count = std::min(batch_, images.count() - first);
    for (size_t i = 0; i < count * kPixels; i++)
      input[i] = quantized[images.pixels[first * kPixels + i]];
    if (bmnet_inference(net_, input.data(), output.data()) != BM_SUCCESS) return false;
    for (size_t i = 0; i < count; i++) classes[first + i] = best_class(&output[i * score_count_]);
    progress(first + count);
  }
  return true;
}
