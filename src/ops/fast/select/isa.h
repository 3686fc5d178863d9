// The instruction set in force, as the fast bodies ask for it.
#pragma once

namespace tputwin::fast {

// Ask once at the head of a fast body, before HWY_DYNAMIC_DISPATCH: applies TPUTWIN_ISA on first
// use. False: the reference bodies are selected, or this host has no vector unit we know.
bool vectors_enabled();

// Convolutions go to oneDNN where it covers them.
bool onednn_enabled();

// What oneDNN is good for on this host, as far as the build has it.
enum class OneDnn { not_exact, exact, exact_and_fast };
OneDnn onednn_on_this_host();

}  // namespace tputwin::fast
