// Net: all stages of a network, and their description for programs.
#pragma once

#include <bmdef.h>

#include <memory>
#include <string>
#include <vector>

#include "sdk/bmrt/stage.h"

namespace tputwin::bmrt {

// bm_net_info_t and all data that it points at.
class NetInfo {
 public:
  NetInfo(const bmodel::bm168x::NetT& net, const std::vector<std::unique_ptr<Stage>>& stages,
          const Chip& chip);
  const bm_net_info_t& c_struct() const { return info_; }

 private:
  struct Side {
    std::vector<const char*> names;
    std::vector<bm_data_type_t> types;
    std::vector<float> scales;
    std::vector<size_t> max_bytes;
    std::vector<int> zero_points, devices;
  };
  struct StageSide {
    std::vector<bm_shape_t> shapes;
    std::vector<bm_device_mem_t> memories;
  };
  static Side describe(const std::vector<std::unique_ptr<Stage>>& stages,
                       const std::vector<StageTensor>& (Stage::*tensors)() const, const Chip& chip);
  static StageSide describe(const std::vector<StageTensor>& tensors);

  Side inputs_, outputs_;
  std::vector<StageSide> input_stages_, output_stages_;
  std::vector<bm_stage_info_t> stages_;
  bm_net_info_t info_{};
};

// Returns the bytes that programs reserve for a tensor: 8-bit types of the BM1684 have n rounded up
// to 4.
uint64_t user_bytes(const Chip& chip, bm_data_type_t dtype, const bm_shape_t& shape);

class Net {
 public:
  // Keeps `file`, the model that contains `net`.
  Net(std::shared_ptr<const bmodel::bm168x::File> file, const bmodel::bm168x::NetT& net,
      std::vector<std::unique_ptr<Stage>> stages, const Chip& chip)
      : file_(std::move(file)), net_(net), stages_(std::move(stages)), info_(net, stages_, chip) {}

  const std::string& name() const { return net_.name; }
  const bmodel::bm168x::NetT& file() const { return net_; }
  const std::vector<std::unique_ptr<Stage>>& stages() const { return stages_; }
  const bm_net_info_t& info() const { return info_.c_struct(); }

  // Returns the first stage with these input shapes. A single stage also matches by numbers of
  // elements.
  Result<Stage*> stage_of(const std::vector<bm_shape_t>& shapes) const;

 private:
  std::shared_ptr<const bmodel::bm168x::File> file_;
  const bmodel::bm168x::NetT& net_;
  std::vector<std::unique_ptr<Stage>> stages_;
  NetInfo info_;
};

uint64_t count(const bm_shape_t& shape);
bool same(const bm_shape_t& a, const bm_shape_t& b);
Status check_shape(const bm_shape_t& shape, std::string_view argument);
std::string describe(const bm_shape_t& shape);  // "(1,3,224,224)"

}  // namespace tputwin::bmrt
