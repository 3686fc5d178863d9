// A compiled net on the chip, used as in a program of a user.
#pragma once

#include <libbmruntime/bmruntime.h>
#include <libbmruntime/bmruntime_bmnet.h>

#include <functional>
#include <vector>

#include "dataset.h"

class Classifier {
 public:
  // Registers the model with the device of `ctx`. ok() returns false if that failed;
  // tputwin_last_error() then returns the reason.
  Classifier(bmctx_t ctx, const std::vector<uint8_t>& bmodel);
  ~Classifier();
  Classifier(const Classifier&) = delete;
  bool ok() const { return net_ != NULL; }
  size_t batch() const { return batch_; }

  // The class of every image, a batch at a time; calls progress(images done) after each.
  bool classify(const Dataset& images, const std::function<void(size_t)>& progress,
                std::vector<uint8_t>& classes);

 private:
  uint8_t best_class(const uint8_t* scores) const;

  bmnet_t net_;
  size_t batch_, output_bytes_, score_count_;
  float threshold_;
};
