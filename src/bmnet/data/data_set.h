// Samples for calibration and for measuring accuracy: images, idx files, raw tensors, LMDBs of
// Caffe.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bmnet/ir/network.h"

namespace tputwin::net {

enum class DataKind {
  automatic,  // by what lies at the path
  images,     // folder: pictures, or one subfolder of pictures per class in the order of names
  idx,        // file of the MNIST form, plain or gzip
  raw,        // file of samples one after the other
  lmdb        // folder of a database of Caffe's Datum
};
enum class RawType { f32, u8, i8 };

struct DataOptions {
  DataKind kind = DataKind::automatic;
  Extents shape;  // c, h, w of a sample
  // value = (pixel - mean) * scale. Pixels are 0..255; mean of one value, or one per channel.
  std::vector<float> mean;
  std::vector<float> mean_image;  // of mean_shape, taken at the place of the crop
  Extents mean_shape;
  std::vector<float> scale;  // one value, or one per channel
  bool rgb = false;          // channels of pictures are blue, green, red otherwise
  // Pictures of another size are scaled to `resize` (0: no scaling if crop, else to the sample's
  // size); of what is larger than the sample the middle is taken.
  int resize_h = 0, resize_w = 0;
  bool crop = false;
  // Or pictures keep their proportions, scaled to the sample's height or width, in the middle of
  // pixels of one value.
  bool letterbox = false;
  float border = 114;
  // images: a text of lines "FILE [LABEL]", files relative to the folder. idx: the labels' file,
  // else the one named as the images' with "labels-idx1" for "images-idx3".
  std::string list;
  RawType raw_type = RawType::f32;
};

class DataSet {
 public:
  virtual ~DataSet() = default;
  size_t size() const { return labels_.size(); }
  // The class of a sample; -1 if unknown.
  int label(size_t index) const { return labels_[index]; }
  // Exactly c*h*w values. Any thread may ask.
  virtual Status sample(size_t index, std::span<float> values) const = 0;
  // Of the first sample as it is stored; raw tensors do not tell.
  virtual Result<Extents> natural_shape() const = 0;

 protected:
  std::vector<int> labels_;
};

Result<std::unique_ptr<DataSet>> open_data_set(const std::string& path, const DataOptions& options);

}  // namespace tputwin::net
