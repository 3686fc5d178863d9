// Fashion-MNIST as Debian packages it: gzipped IDX files of 28x28 grey images and class numbers.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <string>
#include <vector>

const int kSide = 28;
const size_t kPixels = kSide * kSide;

struct Dataset {
  std::vector<uint8_t> pixels;  // count x 28 x 28
  std::vector<uint8_t> labels;  // count
  size_t count() const { return labels.size(); }
  // Only the first `count` images.
  void keep(size_t count) {
    labels.resize(count);
    pixels.resize(count * kPixels);
  }
};

// Reads DIRECTORY/PART-*.gz, of which there are "train" and "t10k"; false with a reason if that
// fails.
bool read_dataset(const std::string& directory, const std::string& part, Dataset& dataset,
                  std::string& reason);

const char* class_name(uint8_t label);
