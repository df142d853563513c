"""How a shared library is linked so that it needs nothing but a C library of 2018 or later."""

PORTABLE_INPUTS = ["//tools/portable:old_libc"]

PORTABLE_LINKOPTS = select({
    "//tools/portable:local": [],
    "//conditions:default": [
        "-L$(BINDIR)/tools/portable",
        "-static-libgcc",
        # Libraries that were apart from libc in 2018.
        "-Wl,--no-as-needed,-lpthread,-ldl,--as-needed",
    ],
}) + [
    "-fuse-ld=bfd",  # gold exports what libstdc++ has too, whatever a version script says
    "-Wl,--gc-sections",
]
