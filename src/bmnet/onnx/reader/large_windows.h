// Windows as operators that fit the fields of the chip's commands, or take less time.
#pragma once

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {

// Returns true if the first or last taps of a convolution read only pads, as those of large
// dilations on small maps do.
bool has_idle_taps(const Node& node, const NodeWindow& window);
// Expands it to a convolution without these taps.
void expand_conv_without_idle_taps(Node& node, const NodeWindow& window);

// Returns true if the convolution's stride does not fit a command.
bool has_large_stride(const NodeWindow& window);
// Returns true if its blocks can be channels: it has no dilation. Otherwise the host computes it.
bool has_blocks(const NodeWindow& window);
// Expands a convolution with such a stride: blocks of stride x stride elements become channels, and
// taps of the kernel with them. A patch embedding (kernel = stride) becomes a 1x1 convolution.
void expand_conv_of_blocks(Node& node, const NodeWindow& window);

// Returns true if the convolution's dilation does not fit a command, but each phase does. With a
// stride the host computes it.
bool has_phases(const NodeWindow& window);
// Expands a convolution with such a dilation d: each d-th row and column is a sample of its own, of
// which the convolution has the dilation 1.
void expand_conv_of_phases(Node& node, const NodeWindow& window);

// Returns true if the pads of a convolution do not fit a command.
bool has_large_pads(const NodeWindow& window);
// Expands it to a Pad and a convolution without pads.
void expand_conv_of_pads(Node& node, const NodeWindow& window);

// Returns true for a 1x1 convolution of more channels than a command has.
bool has_many_channels(const Node& node, const NodeWindow& window);
// Expands it: channels become rows, and the kernel gets that many rows.
void expand_conv_of_channels(Node& node);

// Returns true if the window skips elements.
bool is_dilated(const NodeWindow& window);
// Expands a MaxPool with dilations: maxima of moved copies of the map.
void expand_dilated_max(Node& node, const NodeWindow& window);

// Returns true if the node's map has three axes.
bool is_deep(const Node& node);
// Expand layers of such maps. Depths become samples or channels of maps of two axes.
void expand_deep_conv(Node& node);
void expand_deep_pool(Node& node);
void expand_deep_global(Node& node);

// Returns true if a pooling's window or stride does not fit a command.
bool is_large_pool(const NodeWindow& window);

// Returns true if a MaxPool of a map (N,C,H,W) is one of whole blocks side by side, too large for a
// command.
bool is_large_block(const NodeWindow& window, const Dims& map);
// Expands it to a maximum of each block, on the host.
void expand_max_of_blocks(Node& node, const NodeWindow& window);

}  // namespace tputwin::net::onnx_reader
