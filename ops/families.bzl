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

# Those whose lowerings have attributes.
LOWERING_ATTRS_FAMILIES = [f for f in LOWERING_FAMILIES if f != "comparison"]

# Those with operators that read much for one element (docs/spec/expansion.md).
EXPANSION_FAMILIES = [
    "reduction",
    "linear",
    "pooling",
    "gather",
    "normalization",
    "attention",
    "detection",
    "sort",
    "recurrent",
    "sampling",
]

# Those with kernels of the cpu engine: control operators call functions instead.
KERNEL_FAMILIES = [f for f in FAMILIES if f != "control"]

# Those with kernels of the cuda engine.
CUDA_FAMILIES = KERNEL_FAMILIES
