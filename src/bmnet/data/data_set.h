// Samples for calibration and accuracy measurements: images, idx files, raw tensors, LMDBs of
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
  automatic,  // determined from the file or folder
  // Folder of pictures, or of one subfolder of pictures per class in the order of names.
  images,
  idx,  // file of the MNIST form, plain or gzip
  raw,  // file with one sample after the other
  lmdb  // folder of a database of Caffe's Datum
};
enum class RawType { f32, u8, i8 };

struct DataOptions {
  DataKind kind = DataKind::automatic;
  Extents shape;  // c, h, w of a sample
  // value = (pixel - mean) * scale. Pixels are 0 to 255. `mean` has one value, or one per channel.
  std::vector<float> mean;
  // Mean image of shape mean_shape. The crop selects the same part of it.
  std::vector<float> mean_image;
  Extents mean_shape;
  std::vector<float> scale;  // one value, or one per channel
  // If false, channels of pictures are blue, green, red.
  bool rgb = false;
  // Pictures of another size are scaled to `resize` (0: no scaling if crop, else the sample's
  // size). If the result is larger than the sample, its middle is used.
  int resize_h = 0, resize_w = 0;
  bool crop = false;
  // If true, pictures keep their proportions. They are scaled to the sample's height or width and
  // centered; the rest gets the value `border`.
  bool letterbox = false;
  float border = 114;
  // For images: a text file of lines "FILE [LABEL]", with files relative to the folder. For idx:
  // the file of labels; by default the name of the images' file with "labels-idx1" for
  // "images-idx3".
  std::string list;
  RawType raw_type = RawType::f32;
};

class DataSet {
 public:
  virtual ~DataSet() = default;
  size_t size() const { return labels_.size(); }
  // Returns the class of a sample; -1 if unknown.
  int label(size_t index) const { return labels_[index]; }
  // Writes exactly c*h*w values. Thread-safe.
  virtual Status sample(size_t index, std::span<float> values) const = 0;
  // Returns the shape of the first sample as stored; an error for raw tensors, which have none.
  virtual Result<Extents> natural_shape() const = 0;

 protected:
  std::vector<int> labels_;
};

Result<std::unique_ptr<DataSet>> open_data_set(const std::string& path, const DataOptions& options);

}  // namespace tputwin::net
