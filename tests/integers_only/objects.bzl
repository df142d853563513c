"""The objects that a product links, of the packages named, and the sources that are in them."""

def _linked_objects(ctx):
    objects = []
    for dep in ctx.attr.deps:
        for linked in dep[CcInfo].linking_context.linker_inputs.to_list():
            if not linked.owner.workspace_name and linked.owner.package.split("/")[0] in ctx.attr.layers:
                for library in linked.libraries:
                    objects += library.pic_objects or library.objects
    return [DefaultInfo(files = depset(objects), runfiles = ctx.runfiles(objects))]

linked_objects = rule(
    implementation = _linked_objects,
    attrs = {
        "deps": attr.label_list(providers = [CcInfo]),
        "layers": attr.string_list(mandatory = True),  # top folders
    },
)

_Sources = provider(fields = ["paths"])

def _sources_of(target, ctx):
    own = []
    for name in ["srcs", "textual_hdrs"]:  # those that are compiled together with others are included by them
        for dep in getattr(ctx.rule.attr, name, []):
            own += [file.short_path for file in dep.files.to_list() if file.extension == "cc"]
    deps = getattr(ctx.rule.attr, "deps", [])
    return [_Sources(paths = depset(own, transitive = [dep[_Sources].paths for dep in deps if _Sources in dep]))]

_collect_sources = aspect(implementation = _sources_of, attr_aspects = ["deps"])

def _linked_sources(ctx):
    paths = depset(transitive = [dep[_Sources].paths for dep in ctx.attr.deps])
    written = ctx.actions.declare_file(ctx.label.name + ".txt")
    ctx.actions.write(written, "\n".join(paths.to_list()) + "\n")
    return [DefaultInfo(files = depset([written]), runfiles = ctx.runfiles([written]))]

linked_sources = rule(
    implementation = _linked_sources,
    attrs = {"deps": attr.label_list(aspects = [_collect_sources], providers = [CcInfo])},
)
