"""A model of each Core ML layer, and of each variant and encoding that the table names."""
import coreml_exact
import coreml_layers
import coreml_objects


def cases():
    yield from coreml_layers.cases()
    yield from coreml_exact.cases()
    yield from coreml_objects.cases()
