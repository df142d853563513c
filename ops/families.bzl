"""The one list of operator families, in opcode order."""

FAMILIES = [
    "elementwise",
    "comparison",
    "reduction",
    "linear",
    "pooling",
    "layout",
    "gather",
    "table",
    "rescale",
    "normalization",
    "image",
    "detection",
    "sort",
    "recurrent",
    "control",
    "attention",
    "sampling",
]

# Those with lowerings.
LOWERING_FAMILIES = [
    "elementwise",
    "comparison",
    "linear",
    "pooling",
    "image",
    "reduction",
    "layout",
    "gather",
    "rescale",
    "table",
    "normalization",
    "attention",
    "detection",
    "sampling",
]

# Those with kernels of the cpu engine.
KERNEL_FAMILIES = [
    "elementwise",
    "comparison",
    "reduction",
    "linear",
    "pooling",
    "layout",
    "gather",
    "table",
    "rescale",
    "normalization",
    "image",
    "detection",
    "sort",
    "recurrent",
    "attention",
    "sampling",
]

# Those with kernels of the cuda engine.
CUDA_FAMILIES = [
    "elementwise",
    "comparison",
    "reduction",
    "linear",
    "pooling",
    "layout",
    "gather",
    "table",
    "rescale",
    "normalization",
    "image",
    "recurrent",
    "attention",
]
