"""The targets of one operator family: what ops/<family>/BUILD declares in one line."""

load("//tools:isa.bzl", "tally_loops")
load("//tools:tally_rules.bzl", "tally_cc_library", "tally_cc_property_test", "tally_cc_test")

_OPS = ["//ops:__subpackages__"]
_UPWARDS = ["//tools/layers:ops"]

def tally_op_family(name, deps = [], reference_deps = [], lowering_deps = [], expansion_deps = [], attrs_deps = [], cpu_deps = [], cuda_device_deps = [], cuda_deps = []):
    """Declares the rules, the references, the documents, the vectors, the kernels and the tests of family `name`.

    The folder has what is consensus: ops.inc (rows), attrs.h (attribute structs), rules.h (gas and precision rules that
    rows name), *_infer.cc (type, gas and precision rules), *_reads.cc (read sets), *_reference.cc (definitions), spec.md, vectors/*.json and
    *_test.cc. labels.h (the constraints' labels) is made from spec.md: a page that is edited rebuilds nothing, a new constraint
    the rules. Folders in it have the rest:
      lowering/  of LOWERING_FAMILIES in ops/families.bzl: lowerings.inc (rows), attrs.h if they have any, and a file for each lowering.
      cpu/       of KERNEL_FAMILIES: kernel_tables.h (All<Family>Kernels, of the tables of all files), kernels with their tables,
                 *_loops.*, compiled for each instruction set, and tests of these parts alone.
      expansion/ of EXPANSION_FAMILIES: expansions.inc (rows) and the steps of operators that read much for one element.
      cuda/      of CUDA_FAMILIES: kernel_tables.h as in cpu/, files that turn calls into launches, with their tables,
                 device_kernels.inc (rows) and *_device.h (device code, for nvcc too).
    """
    native.exports_files(["ops.inc"], visibility = _OPS)
    native.exports_files(["spec.md"], visibility = ["//tools/layers:tests"])
    native.filegroup(
        name = "vectors",
        srcs = native.glob(["vectors/*.json"]),
        visibility = ["//tools/layers:tests"],
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
        visibility = _UPWARDS,
    )
    tally_cc_library(
        name = "attrs",
        hdrs = ["attrs.h"],
        deps = ["//ops:attributes", "//ops:result_fields", "//ops:tensor_type", "//base:rescale"] + attrs_deps,
        visibility = _UPWARDS,
    )
    tally_cc_library(
        name = name,
        srcs = native.glob(["*_infer.cc", "*_reads.cc", "*_bounds.h"]),
        hdrs = ["rules.h"] + native.glob(["*_shape.h"]),
        deps = [":attrs", ":labels", "//ops:infer", "//ops:gas", "//ops:precision", "//ops:read_set", "@absl"] + deps,
        visibility = _UPWARDS,
    )
    tally_cc_library(
        name = "reference",
        srcs = native.glob(["*_reference.cc"]),
        headers = "exact",
        deps = [":attrs", ":" + name, "//ops:elements", "//ops:reference", "//ops:indexing"] + reference_deps,
        visibility = _OPS,
    )
    for test in native.glob(["*_property_test.cc"], allow_empty = True):
        tally_cc_property_test(
            name = test[:-len(".cc")],
            deps = [":" + name, ":reference", "//ops/testing:rule_tester"],
        )
    for test in native.glob(["*_test.cc"], exclude = ["*_property_test.cc"]):
        tally_cc_test(
            name = test[:-len(".cc")],
            deps = [":" + name, ":reference", "//ops/testing:rule_tester"],
        )
    if native.glob(["lowering/*"], allow_empty = True):
        native.exports_files(["lowering/lowerings.inc"], visibility = _OPS)
        tally_cc_library(
            name = "lowering_attrs",
            hdrs = native.glob(["lowering/attrs.h"], allow_empty = True),
            deps = [":attrs"],
            visibility = _UPWARDS,
        )
        tally_cc_library(
            name = "lowering",
            srcs = native.glob(["lowering/*.cc", "lowering/*.h"], exclude = ["lowering/*_test.cc", "lowering/attrs.h"]),
            cold = True,
            deps = [":lowering_attrs", "//ops:labels", "//ops:lowerings_header", "//ops:all_attrs"] + lowering_deps,
            visibility = _UPWARDS,
        )
        for test in native.glob(["lowering/*_test.cc"]):
            tally_cc_test(
                name = test[len("lowering/"):-len(".cc")],
                srcs = [test],
                deps = [":lowering", ":reference", "//ops/testing:lowering_tester", "//ops/testing:rule_tester"],
            )
    if native.glob(["expansion/*"], allow_empty = True):
        native.exports_files(["expansion/expansions.inc"], visibility = _OPS)
        tally_cc_library(
            name = "expansion",
            srcs = native.glob(["expansion/*.cc", "expansion/*.h"], allow_empty = True),
            cold = True,
            deps = [":attrs", ":" + name, "//ops:expansion", "//ops:indexing"] + expansion_deps,
            visibility = _OPS,
        )
    if native.glob(["cpu/*"], allow_empty = True):
        tally_loops(
            name = "loops",
            srcs = native.glob(["cpu/*_loops.cc"], allow_empty = True),
            hdrs = native.glob(["cpu/*_loops.h"], allow_empty = True),
            deps = ["//ops/cpu:isa", "//ops/cpu:loops"],
        )
        tally_cc_library(
            name = "cpu",
            srcs = native.glob(["cpu/*.cc", "cpu/*.h"], exclude = ["cpu/*_loops.*", "cpu/*_test.cc", "cpu/kernel_tables.h"]),
            hdrs = ["cpu/kernel_tables.h"],
            deps = [":attrs", ":" + name, ":loops", "//ops:indexing", "//ops/cpu"] + cpu_deps,
            visibility = _OPS,
        )
        for test in native.glob(["cpu/*_test.cc"], allow_empty = True):
            tally_cc_test(
                name = test[len("cpu/"):-len(".cc")],
                srcs = [test],
                deps = [":" + name, ":loops", "//base:cpu_flags", "//base/testing:random_source"] + cpu_deps,
            )
    if native.glob(["cuda/*"], allow_empty = True):
        native.exports_files(["cuda/device_kernels.inc"], visibility = _OPS)
        native.filegroup(
            name = "device_headers",
            srcs = native.glob(["cuda/*_device.h"], allow_empty = True),
            visibility = _OPS,
        )
        tally_cc_library(
            name = "cuda_device",
            hdrs = [":device_headers"],
            deps = ["//ops/cuda:map"] + cuda_device_deps,
            visibility = _OPS,
        )
        tally_cc_library(
            name = "cuda",
            srcs = native.glob(["cuda/*.cc"]),
            hdrs = native.glob(["cuda/*.h"], exclude = ["cuda/*_device.h"], allow_empty = True),
            deps = [":attrs", ":" + name, ":cuda_device", "//ops:indexing", "//ops/cuda:kernel_entry", "//ops/cuda:prepare_map"] + cuda_deps,
            visibility = _OPS,
        )

def tally_kernel_list(name, families, folder, namespace):
    """The header `name`, with kKernelsOfFamilies: All<Family>Kernels of ops/<family>/<folder>/kernel_tables.h for each family."""
    native.genrule(
        name = "make_" + name,
        outs = [name],
        cmd = """(
            echo '#pragma once'
            printf '#include "ops/%%s/%s/kernel_tables.h"\\n' %s
            echo 'namespace %s {'
            echo 'inline constexpr std::vector<KernelTable> (*kKernelsOfFamilies[])() = {'
            printf 'All%%sKernels,\\n' %s
            echo '};'
            echo '}  // namespace %s'
        ) > $@""" % (folder, " ".join(families), namespace, " ".join([f.capitalize() for f in families]), namespace),
    )
