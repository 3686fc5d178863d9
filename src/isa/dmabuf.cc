// Command buffers in device form: layout, pointers and text.
#include "isa/dmabuf.h"

#include <algorithm>
#include <array>

#include "base/bits.h"
#include "base/errors/isa.h"
#include "isa/bm1880_codec.h"
#include "isa/bm1880_codes.h"
#include "isa/decode_check.h"
#include "isa/fields.h"
#include "isa/records.h"
#include "isa/sync.h"
#include "isa/text.h"

namespace tputwin::isa {
namespace {

constexpr uint64_t kBdAlign = 256, kGdmaAlign = 64, kBdTail = 128;
// The firmware adds this to a device address to address global memory.
constexpr uint64_t kDeviceBase = 0x1'0000'0000;
constexpr std::string_view kSegmentLabel = "layer_end";

// Words of the header and of a CPU descriptor.
enum HeaderWord : size_t { kMagicWord, kSizeWord, kCpuCountWord, kBdCountWord, kGdmaCountWord };
enum CpuWord : size_t { kTypeWord, kBdsWord, kGdmasWord, kBdPointerWord, kGdmaPointerWord };
constexpr size_t kGdmaNextWord = 15;
constexpr uint32_t kGdmaLastBits = 0b1100, kGdmaBarrierBit = 0b10000;

struct Segment {
  size_t bds = 0, gdmas = 0;
  // Size of the segment's CPU descriptor. Long parameters enlarge it.
  size_t cpu_bytes = kCpuBytes;
  size_t cpu_offset = 0, bd_offset = 0, gdma_offset = 0;
};

struct Layout {
  std::vector<Segment> segments;
  size_t bds = 0, gdmas = 0, bytes = 0;
};

// Sets the offsets of segments with known counts. An engine without commands takes no space.
void place(Layout& layout) {
  size_t end = kDmabufHeaderBytes;
  for (Segment& s : layout.segments) {
    s.cpu_offset = end;
    end += s.cpu_bytes;
  }
  end = align_up(end, kBdAlign);
  for (Segment& s : layout.segments) {
    layout.bds += s.bds;
    if (s.bds == 0) continue;
    s.bd_offset = align_up(end, kBdAlign);
    end = s.bd_offset + align_up(s.bds * kBdBytes, kBdAlign) + kBdTail;
  }
  for (Segment& s : layout.segments) {
    layout.gdmas += s.gdmas;
    if (s.gdmas == 0) continue;
    s.gdma_offset = end;
    end += s.gdmas * kGdmaBytes;
  }
  layout.bytes = end;
}

bool last_of_segment(const Record& record) {
  if (record.engine == kEngineCpu) return true;
  if (record.engine == kEngineBd)
    return unpack_bd(record.body.first<kBdBytes>()).cmd_id_tpu == kLastSequenceId;
  return unpack_gdma(record.body.first<kGdmaBytes>()).cmd_id == kLastSequenceId;
}

// Returns the size of a CPU descriptor. Its first kCpuBytes must be present.
size_t cpu_descriptor_bytes(const uint8_t* cpu) {
  const bool operates = load_word(cpu, kTypeWord) == kCpuOperator;
  const size_t size = operates ? load_word(cpu + kCpuHeadBytes + kCpuSizeOffset, 0) : 0;
  return std::max(kCpuBytes, kCpuHeadBytes + align_up(kCpuParamOffset + size, 4));
}

bool cpu_body_fits(std::span<const uint8_t> body) {
  return body.size() >= kCpuBytes && body.size() == cpu_descriptor_bytes(body.data());
}

// Calls visit(record, segment index) for every record. Returns the number of segments.
template <class Visit>
Result<size_t> for_each_record(std::span<const uint8_t> commands, const Visit& visit) {
  RecordReader reader(commands);
  Record record;
  size_t segment = 0;
  bool open = false;
  while (!reader.done()) {
    TW_RETURN_IF_ERROR(reader.next(record));
    if (record.engine == kEngineCpu && !cpu_body_fits(record.body))
      return Error(field_error(errors::isa_dmabuf_cpu, "len", record.body.size()))
          .in(describe(record));
    visit(record, segment);
    open = !last_of_segment(record);
    segment += !open;
  }
  return segment + open;
}

Result<Layout> layout_of(std::span<const uint8_t> commands) {
  Layout layout;
  auto count = for_each_record(commands, [&](const Record& record, size_t segment) {
    layout.segments.resize(segment + 1);
    layout.segments[segment].bds += record.engine == kEngineBd;
    layout.segments[segment].gdmas += record.engine == kEngineGdma;
    if (record.engine == kEngineCpu) layout.segments[segment].cpu_bytes = record.body.size();
  });
  if (!count.ok()) return count.error();
  place(layout);
  return layout;
}

// Order of the seven groups of four words in which a BD descriptor is stored. The four top bits of
// each group's last word are reserved; they store the number of the group.
constexpr std::array<uint32_t, 7> kGroupOrder{6, 1, 2, 3, 4, 5, 0};
constexpr size_t kGroupBytes = 16, kGroupTagWord = 3, kGroupTagShift = 28;

void put_bd(BdDescriptor d, bool last, uint8_t* out) {
  d.cmd_end = d.cmd_intr_en = last;
  std::array<uint8_t, kBdBytes> packed;
  pack(d, packed);
  for (uint32_t group : kGroupOrder) {
    std::copy_n(packed.begin() + group * kGroupBytes, kGroupBytes, out);
    uint32_t word = load_word(out, kGroupTagWord);
    store_word(out, kGroupTagWord, word | group << kGroupTagShift);
    out += kGroupBytes;
  }
}

BdDescriptor get_bd(const uint8_t* in) {
  std::array<uint8_t, kBdBytes> packed;
  for (uint32_t group : kGroupOrder) {
    uint8_t* out = packed.data() + group * kGroupBytes;
    std::copy_n(in, kGroupBytes, out);
    store_word(out, kGroupTagWord, load_word(out, kGroupTagWord) & ((1U << kGroupTagShift) - 1));
    in += kGroupBytes;
  }
  return unpack_bd(packed);
}

void put_gdma(std::span<const uint8_t> body, bool last, uint8_t* out) {
  std::ranges::copy(body, out);
  store_word(out, 0, load_word(out, 0) | kGdmaBarrierBit | (last ? kGdmaLastBits : 0));
}

// Returns the pointer to `offset`. It is 0 for an engine without commands, whose offset is 0.
uint32_t pointer(uint64_t base, size_t offset, uint64_t align) {
  return offset == 0 ? 0 : static_cast<uint32_t>((base + offset) / align);
}

// Sets the pointers of the CPU descriptors to their runs, and of each GDMA descriptor to the next
// one. The last one points to the start of the buffer.
void set_pointers(std::span<uint8_t> dmabuf, const Layout& layout, uint64_t base) {
  for (size_t i = 0; i < layout.segments.size(); ++i) {
    const Segment& s = layout.segments[i];
    uint8_t* cpu = dmabuf.data() + s.cpu_offset;
    store_word(cpu, kBdPointerWord, pointer(base, s.bd_offset, kBdAlign));
    store_word(cpu, kGdmaPointerWord, pointer(base, s.gdma_offset, kGdmaAlign));
    for (size_t k = 0; k < s.gdmas; ++k) {
      size_t here = s.gdma_offset + k * kGdmaBytes;
      uint64_t next = k + 1 < s.gdmas ? here + kGdmaBytes : 0;
      store_word(dmabuf.data() + here, kGdmaNextWord,
                 static_cast<uint32_t>((base + next) / kGdmaAlign));
    }
  }
}

void put_headers(std::span<uint8_t> dmabuf, const Layout& layout) {
  const std::array<size_t, 5> head{kDmabufMagic, layout.bytes, layout.segments.size(), layout.bds,
                                   layout.gdmas};
  for (size_t word = 0; word < head.size(); ++word)
    store_word(dmabuf.data(), word, static_cast<uint32_t>(head[word]));
  for (const Segment& s : layout.segments) {
    CpuDescriptor d;
    d.op_type = kCpuSync;
    std::ranges::copy(kSegmentLabel, d.payload.begin());
    pack(d, dmabuf.subspan(s.cpu_offset, kCpuBytes));
  }
}

void put_counts(std::span<uint8_t> dmabuf, const Layout& layout) {
  for (const Segment& s : layout.segments) {
    uint8_t* cpu = dmabuf.data() + s.cpu_offset;
    store_word(cpu, kBdsWord, static_cast<uint32_t>(s.bds));
    store_word(cpu, kGdmasWord, static_cast<uint32_t>(s.gdmas));
  }
}

Error malformed(std::string_view field, uint64_t value) {
  return field_error(errors::isa_dmabuf, field, value);
}

// Returns the layout of a device form, checked against its size.
Result<Layout> layout_of_dmabuf(std::span<const uint8_t> dmabuf) {
  if (dmabuf.size() < kDmabufHeaderBytes) return malformed("size", dmabuf.size());
  auto bytes = dmabuf_bytes(dmabuf.first<kDmabufHeaderBytes>());
  if (!bytes.ok()) return bytes.error();
  if (*bytes != dmabuf.size()) return malformed("dmabuf_size", *bytes);
  size_t segments = load_word(dmabuf.data(), kCpuCountWord);
  if (segments > (dmabuf.size() - kDmabufHeaderBytes) / kCpuBytes)
    return malformed("cpu_desc_count", segments);
  Layout layout;
  size_t offset = kDmabufHeaderBytes;
  for (size_t i = 0; i < segments; ++i) {
    const bool fits = offset <= dmabuf.size() && dmabuf.size() - offset >= kCpuBytes;
    if (!fits) return malformed("cpu_desc_count", segments);
    const uint8_t* cpu = dmabuf.data() + offset;
    layout.segments.push_back(
        {load_word(cpu, kBdsWord), load_word(cpu, kGdmasWord), cpu_descriptor_bytes(cpu)});
    offset += layout.segments.back().cpu_bytes;
  }
  place(layout);
  if (layout.bytes != dmabuf.size()) return malformed("dmabuf_size", dmabuf.size());
  return layout;
}

std::string dump_line(size_t offset, const Result<Operation>& op, Engine engine, uint32_t id,
                      uint32_t wait) {
  std::string text = op.ok() ? to_text(Instruction{*op, engine, id, wait}) : op.error().message();
  return fmt::format("  {:#08x}  {}\n", offset, text);
}

std::string dump_segment(std::span<const uint8_t> dmabuf, const Segment& s, size_t index,
                         const Chip& chip) {
  const uint8_t* cpu = dmabuf.data() + s.cpu_offset;
  CpuDescriptor cpu_words = unpack_cpu(dmabuf.subspan(s.cpu_offset, s.cpu_bytes));
  std::string text =
      fmt::format("segment {}: {} BD at pointer {:#x}, {} GDMA at pointer {:#x}\n", index, s.bds,
                  load_word(cpu, kBdPointerWord), s.gdmas, load_word(cpu, kGdmaPointerWord));
  for (size_t k = 0; k < s.bds; ++k) {
    size_t offset = s.bd_offset + k * kBdBytes;
    BdDescriptor d = get_bd(dmabuf.data() + offset);
    text += dump_line(offset, decode(d, chip), Engine::compute, d.cmd_id_tpu, d.cmd_id_gdma);
  }
  for (size_t k = 0; k < s.gdmas; ++k) {
    size_t offset = s.gdma_offset + k * kGdmaBytes;
    GdmaDescriptor d = unpack_gdma(dmabuf.subspan(offset).first<kGdmaBytes>());
    text += dump_line(offset, decode(d, chip), Engine::dma, static_cast<uint32_t>(d.cmd_id),
                      static_cast<uint32_t>(d.cmd_id_bd));
  }
  return text + dump_line(s.cpu_offset, decode(cpu_words), Engine::cpu, 0, 0);
}

}  // namespace

Result<size_t> dmabuf_size(std::span<const uint8_t> commands) {
  auto layout = layout_of(commands);
  if (!layout.ok()) return layout.error();
  return layout->bytes;
}

Result<size_t> dmabuf_bytes(std::span<const uint8_t, kDmabufHeaderBytes> header) {
  uint32_t magic = load_word(header.data(), kMagicWord);
  if (magic != kDmabufMagic) return malformed("magic", magic);
  return size_t{load_word(header.data(), kSizeWord)};
}

Status dmabuf_convert(std::span<const uint8_t> commands, std::span<uint8_t> out) {
  auto layout = layout_of(commands);
  if (!layout.ok()) return layout.error();
  if (layout->bytes != out.size()) return malformed("size", out.size());
  std::ranges::fill(out, 0);
  put_headers(out, *layout);
  std::vector<Segment> done(layout->segments.size());  // commands written so far
  auto written = for_each_record(commands, [&](const Record& record, size_t segment) {
    const Segment& s = layout->segments[segment];
    size_t& bds = done[segment].bds;
    size_t& gdmas = done[segment].gdmas;
    if (record.engine == kEngineBd) {
      uint8_t* to = out.data() + s.bd_offset + kBdBytes * bds++;
      put_bd(unpack_bd(record.body.first<kBdBytes>()), bds == s.bds, to);
    } else if (record.engine == kEngineGdma) {
      uint8_t* to = out.data() + s.gdma_offset + kGdmaBytes * gdmas++;
      put_gdma(record.body, gdmas == s.gdmas, to);
    } else {
      std::ranges::copy(record.body, out.data() + s.cpu_offset);
    }
  });
  put_counts(out, *layout);
  set_pointers(out, *layout, 0);
  return written.status();
}

Status dmabuf_relocate(std::span<uint8_t> dmabuf, uint64_t device_address) {
  auto layout = layout_of_dmabuf(dmabuf);
  if (!layout.ok()) return layout.error();
  uint64_t base = device_address + kDeviceBase;
  if (device_address % kBdAlign != 0 || (base + layout->bytes) / kGdmaAlign >> 32)
    return field_error(errors::isa_dmabuf_address, "device_address", device_address);
  set_pointers(dmabuf, *layout, base);
  return {};
}

Result<std::string> dmabuf_dump(std::span<const uint8_t> dmabuf, const Chip& chip) {
  auto layout = layout_of_dmabuf(dmabuf);
  if (!layout.ok()) return layout.error();
  std::string text = fmt::format("dmabuf: {} bytes, {} segments, {} BD, {} GDMA\n", layout->bytes,
                                 layout->segments.size(), layout->bds, layout->gdmas);
  for (size_t i = 0; i < layout->segments.size(); ++i)
    text += dump_segment(dmabuf, layout->segments[i], i, chip);
  return text;
}

}  // namespace tputwin::isa
