// The file of a model: header, message, binary part.
#include <flatbuffers/flatbuffers.h>

#include "bmodel/bm168x/frame.h"
#include "bmodel/bm168x/model.h"
#include "bmodel/little_endian.h"

namespace tputwin::bmodel::bm168x {

std::vector<uint8_t> write(const ModelT& model, std::span<const uint8_t> binary) {
  flatbuffers::FlatBufferBuilder builder;
  FinishModelBuffer(builder, Model::Pack(builder, &model));
  // The message is padded to multiples of 64 bytes. Data that is aligned in the binary part is then
  // aligned in a mapped file, too.
  const size_t message = (builder.GetSize() + kHeaderBytes - 1) / kHeaderBytes * kHeaderBytes;
  std::vector<uint8_t> file;
  file.reserve(kHeaderBytes + message + binary.size());
  for (size_t word : {size_t{kMagic}, kHeaderBytes, message, binary.size()})
    append_little_endian(file, static_cast<uint32_t>(word));
  file.resize(kHeaderBytes);
  file.insert(file.end(), builder.GetBufferPointer(),
              builder.GetBufferPointer() + builder.GetSize());
  file.resize(kHeaderBytes + message);
  file.insert(file.end(), binary.begin(), binary.end());
  return file;
}

}  // namespace tputwin::bmodel::bm168x
