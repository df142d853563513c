"""Writes OpenVINO models of one layer: the .xml and the .bin."""
import struct
from xml.sax.saxutils import quoteattr

from arrays import Array, draw


class Ints(Array):
    """A constant of 64-bit integers."""
    kind = "i64"


class Flags(Array):
    """A constant of booleans."""
    kind = "boolean"


class Bits(Array):
    """A constant of single bits."""
    kind = "u1"


def element(array):
    return getattr(type(array), "kind", "f32")


def encode(array):
    if isinstance(array, Bits):
        return bytes(sum(bit << (7 - i) for i, bit in enumerate(array.data[at:at + 8])) for at in range(0, len(array.data), 8))
    code = {"f32": "f", "i32": "i", "i64": "q", "boolean": "B"}[element(array)]
    return struct.pack(f"<{len(array.data)}{code}", *array.data)


def ints(*values):
    return Ints((len(values),), values)


def number(value):
    return Ints((), [value]) if isinstance(value, int) else Array((), [value])


class Ir:
    """The two files of a model, or, of an owner, the body of a layer, whose constants are in the owner's file."""

    def __init__(self, owner=None):
        self.layers, self.edges, self.bin, self.next, self.owner = [], [], b"", 0, owner

    def layer(self, kind, inputs, outputs, version="opset1", inner="", **data):
        """`inputs`: (layer, port, shape) each, `outputs`: shapes. Returns its own outputs, to be read."""
        number_of, name = self.next, f"{kind.lower()}{self.next}"
        self.next += 1
        text = f'<layer id="{number_of}" name="{name}" type="{kind}" version="{version}">'
        text += "<data " + " ".join(f"{key.replace('__', '-')}={quoteattr(str(value))}" for key, value in data.items()) + "/>"
        dims = lambda shape: "".join(f"<dim>{size}</dim>" for size in shape)
        if inputs:
            text += "<input>" + "".join(f'<port id="{i}">{dims(s)}</port>' for i, (_, _, s, *_) in enumerate(inputs)) + "</input>"
        ports = [len(inputs) + i for i in range(len(outputs))]
        if outputs:
            kind = data.get("element_type", "f32")
            text += "<output>" + "".join(f'<port id="{p}" precision="{kind}">{dims(s)}</port>' for p, s in zip(ports, outputs)) + "</output>"
        self.layers.append(text + inner + "</layer>")
        for i, (layer, port, *_) in enumerate(inputs):
            self.edges.append(f'<edge from-layer="{layer}" from-port="{port}" to-layer="{number_of}" to-port="{i}"/>')
        return [(number_of, p, s) for p, s in zip(ports, outputs)]

    def parameter(self, array):
        shape = ",".join(map(str, array.shape))
        return self.layer("Parameter", [], [array.shape], element_type=element(array), shape=shape)[0]

    def constant(self, array):
        data, file = encode(array), self.owner or self
        offset, file.bin = len(file.bin), file.bin + data
        shape = ",".join(map(str, array.shape))
        return self.layer("Const", [], [array.shape], element_type=element(array), shape=shape, offset=offset, size=len(data))[0]

    def result(self, y):
        """The id of a layer Result."""
        self.layer("Result", [y], [])
        return self.next - 1

    def graph(self):
        return f'<layers>{"".join(self.layers)}</layers><edges>{"".join(self.edges)}</edges>'

    def files(self):
        return f'<net name="case" version="10">{self.graph()}</net>', self.bin


def case(kind, inputs, constants, expected, version="opset1", **data):
    """One layer of `inputs`, which a run gives, and then `constants`."""
    expected = expected if isinstance(expected, list) else [expected]
    ir = Ir()
    operands = [ir.parameter(x) for x in inputs] + [ir.constant(c) for c in constants]
    for y in ir.layer(kind, operands, [y.shape for y in expected], version, **data):
        ir.layer("Result", [y], [])
    return kind, ir.files(), inputs, expected


def pairwise(a, b, f):
    return Array(a.shape, map(f, a.data, b.data))


def as_floats(kind, operands, expected, version="opset1", **data):
    """Results that are integers or flags, as floats plus x, so that the module has an input. Operands are constants."""
    x = draw(expected.shape, 16)
    ir = Ir()
    zero = ir.parameter(x)
    values = [ir.constant(operand) for operand in operands]
    y = ir.layer(kind, values, [expected.shape], version, **data)[0]
    floats = ir.layer("Convert", [y], [expected.shape], destination_type="f32")[0]
    total = ir.layer("Add", [zero, floats], [expected.shape])[0]
    ir.layer("Result", [total], [])
    return kind, ir.files(), [x], [pairwise(x, expected, lambda p, q: p + q)]
