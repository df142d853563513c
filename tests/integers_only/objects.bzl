"""The objects that a product links, of the packages named."""

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
