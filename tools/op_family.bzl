"""The targets of one operator family: what ops/<family>/BUILD declares in one line."""

load("//tools:isa.bzl", "tally_loops")
load("//tools:tally_rules.bzl", "tally_cc_library", "tally_cc_property_test", "tally_cc_test")

def tally_op_family(name, deps = [], reference_deps = [], lowering_deps = [], attrs_deps = [], kernel_deps = [], cuda_deps = [], cuda_rows_deps = []):
    """Declares the rules, the references, the documents, the vectors and the tests of family `name`.

    Files: ops.inc (rows), attrs.h (attribute structs), rules.h (gas and precision rules that rows name),
    *_infer.cc (type, gas and precision rules), *_reference.cc (definitions), spec.md, vectors/*.json, *_test.cc.
    labels.h (the constraints' labels) is made from spec.md: a page that is edited rebuilds nothing, a new constraint the rules.
    A family with lowerings (LOWERING_FAMILIES in ops/families.bzl) has lowerings.inc (rows), lowering_attrs.h,
    *_lowering.cc and lowerings.md too. One with kernels (KERNEL_FAMILIES) has kernels.inc (rows), kernels.h (what
    rows name), *_kernel.cc (kernels and what they accept) and *_loops.cc, compiled for each instruction set. One with
    kernels of the cuda engine (CUDA_FAMILIES) has cuda_kernels.inc and cuda_rows.inc (rows), *_device.h (kernels, for
    nvcc too) and *_cuda.cc (how calls become launches).
    """
    native.exports_files(["ops.inc", "spec.md"], visibility = ["//visibility:public"])
    native.filegroup(
        name = "vectors",
        srcs = native.glob(["vectors/*.json"]),
        visibility = ["//visibility:public"],
    )
    native.filegroup(
        name = "sources",
        srcs = native.glob(["*.cc", "spec.md"]),
        visibility = ["//visibility:public"],
    )
    native.genrule(
        name = "make_labels",
        srcs = ["spec.md"],
        outs = ["labels.h"],
        cmd = "awk -f $(location //tools:constraint_labels.awk) $< > $@",
        tools = ["//tools:constraint_labels.awk"],
    )
    tally_cc_library(
        name = "labels",
        hdrs = ["labels.h"],
        deps = ["//base:error"],
        visibility = ["//visibility:public"],
    )
    tally_cc_library(
        name = "attrs",
        hdrs = ["attrs.h"],
        deps = ["//ops:attributes", "//ops:result_fields", "//ops:tensor_type", "//base:rescale"] + attrs_deps,
        visibility = ["//visibility:public"],
    )
    tally_cc_library(
        name = name,
        srcs = native.glob(["*_infer.cc", "*_bounds.h"]),
        hdrs = ["rules.h"] + native.glob(["*_shape.h"]),
        deps = [":attrs", ":labels", "//ops:infer", "//ops:gas", "//ops:precision", "@absl"] + deps,
        visibility = ["//visibility:public"],
    )
    tally_cc_library(
        name = "reference",
        srcs = native.glob(["*_reference.cc"]),
        deps = [":attrs", ":" + name, "//ops:reference", "//ops:indexing"] + reference_deps,
        visibility = ["//visibility:public"],
    )
    for test in native.glob(["*_property_test.cc"], allow_empty = True):
        tally_cc_property_test(
            name = test[:-len(".cc")],
            deps = [":" + name, ":reference", "//ops/testing:rule_tester"],
        )
    tests = native.glob(["*_test.cc"], exclude = ["*_property_test.cc"])
    lowering_tests = native.glob(["*_lowering_test.cc"])
    for test in tests:
        tally_cc_test(
            name = test[:-len(".cc")],
            deps = [":" + name, ":reference", "//ops/testing:rule_tester"] +
                   (["//ops/testing:lowering_tester"] if test in lowering_tests else []),
        )
    if native.glob(["lowerings.inc"], allow_empty = True):
        native.exports_files(["lowerings.inc", "lowerings.md"], visibility = ["//visibility:public"])
        tally_cc_library(
            name = "lowering_attrs",
            hdrs = ["lowering_attrs.h"],
            deps = [":attrs"],
            visibility = ["//visibility:public"],
        )
        tally_cc_library(
            name = "lowering",
            srcs = native.glob(["*_lowering.cc"]),
            deps = [":lowering_attrs", "//ops:labels", "//ops:lowerings_header", "//ops:all_attrs"] + lowering_deps,
            visibility = ["//visibility:public"],
        )
    if native.glob(["kernels.inc"], allow_empty = True):
        native.exports_files(["kernels.inc"], visibility = ["//visibility:public"])
        tally_loops(
            name = "loops",
            srcs = native.glob(["*_loops.cc"]),
            hdrs = native.glob(["*_loops.h"]),
            deps = ["//ops/simd:isa"],
        )
        tally_cc_library(
            name = "kernels",
            srcs = native.glob(["*_kernel.cc", "*_kernel.h"]),
            hdrs = ["kernels.h"],
            deps = [":attrs", ":" + name, ":loops", "//ops:indexing", "//ops/simd"] + kernel_deps,
            visibility = ["//visibility:public"],
        )
    if native.glob(["cuda_rows.inc"], allow_empty = True):
        native.exports_files(["cuda_rows.inc", "cuda_kernels.inc"], visibility = ["//visibility:public"])
        native.filegroup(
            name = "device_headers",
            srcs = native.glob(["*_device.h"]),
            visibility = ["//visibility:public"],
        )
        tally_cc_library(
            name = "cuda_kernels",
            hdrs = [":device_headers"],
            deps = ["//ops/cuda:map"] + cuda_deps,
            visibility = ["//visibility:public"],
        )
        tally_cc_library(
            name = "cuda_rows",
            srcs = native.glob(["*_cuda.cc"]),
            hdrs = native.glob(["*_cuda.h"], allow_empty = True),
            deps = [":attrs", ":" + name, ":cuda_kernels", "//ops:indexing", "//ops/cuda:prepare_map"] + cuda_rows_deps,
            visibility = ["//visibility:public"],
        )
