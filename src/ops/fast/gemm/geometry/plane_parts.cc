// Cuts results into parts of planes, and parts into tiles.
#include "ops/fast/gemm/geometry/plane_parts.h"

#include <algorithm>

#include "base/bits.h"
#include "base/parallel.h"
#include "ops/fast/dispatch/budgets.h"

namespace tputwin::fast {

PlaneParts::PlaneParts(const Window& window, const Shape& in, const Shape& out, const Sizes& sizes)
    : window_(window),
      in_(in),
      out_(out),
      sizes_(sizes),
      first_(first_part()),
      plane_(plane_of(first_)),
      // The planes are an odd number of cache lines apart, so that they use different sets of the
      // cache.
      plane_cells_((ceil_div(plane_.floats() + kTilePitch, uint64_t{16}) | 1) * 16),
      stacked_(stacks()) {}

WindowPlane PlaneParts::plane_of(const PlanePart& part) const {
  const Shape results{first_.images, out_.c, first_.rows, first_.columns};
  return {window_, in_, results, first_.images, part.y, part.x};
}

PlanePart PlaneParts::first_part() const {
  PlanePart part{.rows = out_.h, .columns = out_.w};
  const uint64_t one = WindowPlane(window_, in_, out_).floats() * sizes_.cells;
  const uint64_t most = sizes_.allows_bands ? budgets().band : budgets().copies;
  part.images = static_cast<uint32_t>(std::clamp<uint64_t>(most / one, 1, uint64_t{out_.n}));
  if (!sizes_.allows_bands || one <= most) return part;
  // every thread gets an equal number of bands
  auto bands = static_cast<uint32_t>(ceil_div(one, most));
  if (out_.n == 1) bands = align_up(bands, static_cast<uint32_t>(thread_count()));
  const auto share = [&](uint32_t count) { return ceil_div(count, std::min(count, bands)); };
  if (out_.h > 1)
    part.rows = share(out_.h);
  else
    part.columns = std::min(out_.w, align_up(share(out_.w), sizes_.columns));
  return part;
}

uint32_t PlaneParts::image_groups() const { return ceil_div(out_.n, first_.images); }
uint32_t PlaneParts::row_bands() const { return ceil_div(out_.h, first_.rows); }
uint32_t PlaneParts::column_bands() const { return ceil_div(out_.w, first_.columns); }

PlanePart PlaneParts::part(size_t number) const {
  const uint32_t bands = row_bands() * column_bands();
  const auto group = static_cast<uint32_t>(number) / bands,
             band = static_cast<uint32_t>(number) % bands;
  PlanePart part{.image = group * first_.images,
                 .y = band / column_bands() * first_.rows,
                 .x = band % column_bands() * first_.columns};
  part.images = std::min(first_.images, out_.n - part.image);
  part.rows = std::min(first_.rows, out_.h - part.y);
  part.columns = std::min(first_.columns, out_.w - part.x);
  return part;
}

// Returns true if all images form one run of columns. Otherwise each image is a run, because too
// many columns between images belong to no result.
bool PlaneParts::stacks() const {
  const uint64_t vector_elements = sizes_.vector_elements;
  return align_up(plane_.image() * (first_.images - 1) + plane_.extent(), vector_elements) <=
         align_up(plane_.extent(), vector_elements) * first_.images;
}

TileRuns PlaneParts::runs_of(const PlanePart& part) const {
  const uint64_t extent = uint64_t{part.rows - 1} * plane_.pitch() + part.columns;
  const uint64_t length = extent + (stacked_ ? (part.images - 1) * plane_.image() : 0);
  const uint64_t least = ceil_div(length, uint64_t{sizes_.columns});
  const uint64_t columns = align_up(ceil_div(length, least), uint64_t{sizes_.vector_elements});
  const uint64_t tiles = ceil_div(length, columns);
  return {length, tiles, columns, tiles * (stacked_ ? 1 : part.images)};
}

void PlaneParts::find(TilePlace& place, const PlanePart& part, const TileRuns& runs,
                      uint64_t tile) const {
  if (place.tile == tile) return;
  const uint64_t start = tile / runs.tiles * plane_.image(),
                 in_run = tile % runs.tiles * runs.columns;
  place.tile = tile;
  place.first = start + in_run;
  place.count = 0;
  place.kept = 0;
  // These are 32-bit integers, because 64-bit divisions take twice the time.
  const uint32_t pitch = plane_.pitch();
  const auto image = static_cast<uint32_t>(plane_.image());
  const auto from = static_cast<uint32_t>(place.first);
  const auto end = static_cast<uint32_t>(start + std::min(in_run + runs.columns, runs.length));
  for (uint32_t at = from; at < end;) {
    const uint32_t n = at / image, in_image = at - n * image;
    const uint32_t y = in_image / pitch, x = in_image - y * pitch;
    if (x < part.columns && y < part.rows) {
      const uint32_t count = std::min(part.columns - x, end - at);
      place.found[place.count++] = {at - from, part.image + n, part.y + y, part.x + x, count};
      place.kept |= ~uint64_t{0} >> (64 - count) << (at - from);
    }
    at += pitch - x;
  }
}

}  // namespace tputwin::fast
