"""Writes Core ML models, by the numbers of Apple's messages."""
from arrays import Array, draw
from protobuf import field, message

FLOAT32 = 65568


def array_type(shape, element=FLOAT32):
    return message({5: message({1: list(shape), 2: element})})


def feature(name, kind):
    return message({1: name, 3: kind})


def floats(array):
    """WeightParams of an array, or of a list."""
    data = array.data if isinstance(array, Array) else array
    return message({1: [float(v) for v in data]})


def borders(*edges):
    """BorderAmounts: (start, end) of H and of W."""
    return message({10: [message({1: start, 2: end}) for start, end in edges]})


def valid(*edges):
    return message({1: borders(*edges)} if edges else {})


class Net:
    """The layers of a network. Layers with networks within them take those of another Net."""

    def __init__(self):
        self.layers, self.next = [], 0

    def layer(self, number, inputs, outputs=1, params=b"", name=None):
        """Its outputs, as names; these are given, or how many there are."""
        if isinstance(outputs, int):
            outputs = [f"v{id(self) % 9973}_{self.next + i}" for i in range(outputs)]
            self.next += len(outputs)
        self.layers.append(message({1: name or f"layer{len(self.layers)}", 2: inputs, 3: outputs, number: params}))
        return outputs

    def constant(self, array, exact=True):
        """loadConstantND, or loadConstant of (C, H, W)."""
        return self.layer(1070 if exact else 290, [], 1, message({1: list(array.shape), 2: floats(array)}))[0]

    def network(self, exact=False, **more):
        return message({1: self.layers, **({5: 1} if exact else {}), **{int(k[1:]): v for k, v in more.items()}})


def model(net, inputs, outputs, exact=False, kind=500, version=5, **more):
    """`inputs` and `outputs`: {name: FeatureType}. `more`: further fields of the network, as _200="scores"."""
    description = message({1: [feature(*i) for i in inputs.items()], 10: [feature(*o) for o in outputs.items()]})
    return message({1: version, 2: description, kind: net.network(exact, **more)})


def arrays_of(prefix, values):
    return {f"{prefix}{i}": array_type(v.shape) for i, v in enumerate(values)}


def case(row, number, inputs, params, expected, exact=False, constants=()):
    """One layer of `inputs`, which a run gives, and then `constants`."""
    expected = expected if isinstance(expected, list) else [expected]
    net = Net()
    names = [f"x{i}" for i in range(len(inputs))] + [net.constant(c, exact) for c in constants]
    net.layer(number, names, [f"y{i}" for i in range(len(expected))], params if isinstance(params, bytes) else message(params))
    return row, model(net, arrays_of("x", inputs), arrays_of("y", expected), exact), inputs, expected


def exact(row, number, inputs, params, expected, constants=()):
    """The same of a network whose ranks are those of its inputs."""
    return case(row, number, inputs, params, expected, True, constants)


def flags(row, number, inputs, params, expected, constants=()):
    """Results that are flags or places, as floats plus x, so that a grid of 8 bits has them."""
    net = Net()
    x = draw(expected.shape, 16)
    names = [f"x{i}" for i in range(len(inputs))] + [net.constant(c) for c in constants]
    found = net.layer(number, names, 1, message(params))[0]
    net.layer(880, ["shift", found], ["y0"])
    total = Array(x.shape, [p + q for p, q in zip(x.data, expected.data)])
    kinds = {**arrays_of("x", inputs), "shift": array_type(x.shape)}
    return row, model(net, kinds, arrays_of("y", [total]), True), [*inputs, x], [total]
