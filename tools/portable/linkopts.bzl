"""How a library or a program is linked so that it needs nothing but a C library of 2018 or later."""

PORTABLE_INPUTS = ["//tools/portable:old_libc"]

OLD_LIBC_LINKOPTS = [
    "-L$(BINDIR)/tools/portable",
    "-static-libgcc",
    # Libraries that were apart from libc in 2018.
    "-Wl,--no-as-needed,-lpthread,-ldl,--as-needed",
]

PORTABLE_LINKOPTS = select({
    "//tools/portable:local": [],
    "//tools/cross:is_windows": [],
    "//conditions:default": OLD_LIBC_LINKOPTS,
}) + [
    "-fuse-ld=bfd",  # gold exports what libstdc++ has too, whatever a version script says
    "-Wl,--gc-sections",
]
