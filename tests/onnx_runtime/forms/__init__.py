"""Graphs in the forms that exporters write, in one module for each kind."""
from forms import attention, bits, caches, combined, computed, decoders, detectors, faults, folding, found, images, layers, microsoft, moves, quantized, quantizers, refused, sound, transformers
from forms.registry import FORMS
