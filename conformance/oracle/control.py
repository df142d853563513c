"""Vectors of the control family, from ops/control/spec.md."""

import itertools

from broadcasting import broadcast_gas
from vectorlib import *


def constant(c):
    """The operands of a case are the constants of its module."""
    index = c.attributes["index"]
    check_int(index, 0, 2**31 - 1)
    require(index < len(c.operands), "constant_c1")
    return [c.operands[index]], 0


# Functions. The type of a value is (shape, interval); its elements are a flat list.


@dataclasses.dataclass
class Function:
    params: list  # types
    body: list  # (operator, operands, attributes)
    results: list  # value numbers

    def json(self):
        return {
            "params": [{"shape": list(shape), "interval": list(interval)} for shape, interval in self.params],
            "body": [{"operator": name, "operands": list(operands), "attributes": attributes}
                     for name, operands, attributes in self.body],
            "results": self.results,
        }


@dataclasses.dataclass
class Proof:
    """What is known about a function: the types of its results, and its gas."""

    params: list
    results: list
    gas: int


def wider(a, b):
    """Broadcasting, as far as the cases need it: equal shapes, or one element."""
    assert a == b or numel(a) == 1 or numel(b) == 1, (a, b)
    return max(a, b, key=lambda shape: (numel(shape), len(shape)))


def elementwise(bounds, element, gas=broadcast_gas):
    """An operator by its interval rule and its meaning; and its gas, of the shape."""

    def prove(types, attributes, proofs):
        shape = types[0][0]
        for other, _ in types[1:]:
            shape = wider(shape, other)
        return [(shape, bounds([interval for _, interval in types], attributes))], gas(shape)

    def run(values, attributes, run_function):
        count = max(len(value) for value in values)
        rows = [value * (count // len(value)) for value in values]
        return [[element(row, attributes) for row in zip(*rows)]]

    return prove, run


def add_bounds(x, _):
    return x[0][0] + x[1][0], x[0][1] + x[1][1]


def sub_bounds(x, _):
    return x[0][0] - x[1][1], x[0][1] - x[1][0]


def mul_bounds(x, _):
    corners = [a * b for a in x[0] for b in x[1]]
    return min(corners), max(corners)


def clip(value, attributes):
    return min(max(value, attributes["a_min"]), attributes["a_max"])


def passing_gas(values):
    return sum(64 + 16 * numel(shape) for shape, _ in values)


def elements(values):
    return sum(numel(shape) for shape, _ in values)


def fits(argument, param):
    return list(argument[0]) == list(param[0]) and inside(argument[1], param[1])


def prove_call(types, attributes, proofs):
    callee = proofs[attributes["function"]]
    require(len(types) == len(callee.params), "call_c1")
    require(all(map(fits, types, callee.params)), "call_c2")
    return callee.results, callee.gas + 4 * elements([*types, *callee.results])


def run_call(values, attributes, run_function):
    return run_function(attributes["function"], values)


def prove_if(types, attributes, proofs):
    branches = proofs[attributes["then_function"]], proofs[attributes["else_function"]]
    require(numel(types[0][0]) == 1, "if_c1")
    for branch in branches:
        require(len(types) - 1 == len(branch.params), "if_c2")
        require(all(map(fits, types[1:], branch.params)), "if_c3")
    taken, other = branches
    require(len(taken.results) == len(other.results), "if_c4")
    results = []
    for (shape, interval), (other_shape, other_interval) in zip(taken.results, other.results):
        require(list(shape) == list(other_shape), "if_c5")
        results.append((shape, hull(interval, other_interval)))
    return results, max(branch.gas for branch in branches) + 4 * elements([*types, *results])


def run_if(values, attributes, run_function):
    branch = "then_function" if values[0][0] != 0 else "else_function"
    return run_function(attributes[branch], values[1:])


def prove_loop(types, attributes, proofs):
    body, trips, states = proofs[attributes["body"]], attributes["trips"], attributes["states"]
    flags = 1 if attributes["condition"] else 0
    require(len(types) >= flags + states + attributes["scanned"], "loop_c1")
    arguments = types[flags:]
    require(len(body.params) == 1 + len(arguments), "loop_c2")
    require(len(body.results) >= flags + states, "loop_c3")
    require(fits(([], (0, trips - 1)), body.params[0]), "loop_c4")
    require(flags == 0 or numel(types[0][0]) == 1, "loop_c5")
    scanned = len(arguments) - attributes["scanned"]
    require(all(map(fits, arguments[:scanned], body.params[1:])), "loop_c6")
    for argument, (shape, interval) in zip(arguments[scanned:], body.params[1 + scanned:]):
        require(fits(argument, ([trips] + list(shape), interval)), "loop_c7")
    require(flags == 0 or numel(body.results[0][0]) == 1, "loop_c8")
    last = body.results[flags:flags + states]
    require(all(map(fits, last, body.params[1:])), "loop_c9")
    results = []
    for (shape, interval), initial in zip(last, arguments):
        results.append((shape, hull(interval, initial[1]) if flags else interval))
    for shape, interval in body.results[flags + states:]:
        results.append(([trips] + list(shape), hull(interval, (0, 0)) if flags else interval))
    if flags:
        results.append(([], (0, trips)))
    return results, trips * body.gas + 1024 + 4 * elements([*types, *results])


def run_loop(values, attributes, run_function):
    trips, flags = attributes["trips"], 1 if attributes["condition"] else 0
    states = values[flags:flags + attributes["states"]]
    scanned = len(values) - attributes["scanned"]
    fixed, slices = values[flags + len(states):scanned], values[scanned:]
    running, taken, outputs = flags == 0 or values[0][0] != 0, 0, []
    while running and taken < trips:
        cut = [value[taken * len(value) // trips:(taken + 1) * len(value) // trips] for value in slices]
        results = run_function(attributes["body"], [[taken]] + states + fixed + cut)
        running = flags == 0 or results[0][0] != 0
        states = results[flags:flags + len(states)]
        outputs.append(results[flags + len(states):])
        taken += 1
    return states, outputs, taken


OPERATORS = {
    "broadcast_add": elementwise(add_bounds, lambda x, _: x[0] + x[1]),
    "broadcast_sub": elementwise(sub_bounds, lambda x, _: x[0] - x[1]),
    "broadcast_mul": elementwise(mul_bounds, lambda x, _: x[0] * x[1]),
    "clip": elementwise(lambda x, a: tuple(clip(end, a) for end in x[0]), lambda x, a: clip(x[0], a), lambda shape: 5 * numel(shape)),
    "call": (prove_call, run_call),
    "if": (prove_if, run_if),
    "loop": (prove_loop, None),  # see run_instruction: how much is 0 behind an early end depends on the types
}
NAMES = {"call": ["function"], "if": ["then_function", "else_function"], "loop": ["body"]}


def check_names(name, attributes, own, count):
    for key in NAMES.get(name, []):
        require(own < attributes[key] < count, "function_reference")


def prove_functions(functions):
    """The proofs by number, from the last to the first; the entry's place is empty."""
    proofs = [None] * (1 + len(functions))
    for number in range(len(functions), 0, -1):
        types, gas = list(functions[number - 1].params), 0
        for name, operands, attributes in functions[number - 1].body:
            check_names(name, attributes, number, len(proofs))
            results, cost = OPERATORS[name][0]([types[i] for i in operands], attributes, proofs)
            types += results
            gas += instruction_gas(results) + cost
        params, results = functions[number - 1].params, [types[i] for i in functions[number - 1].results]
        proofs[number] = Proof(params, results, 640 + passing_gas([*params, *results]) + gas)
    return proofs


def run_instruction(name, values, attributes, functions, proofs, types):
    def run_function(number, arguments):
        function = functions[number - 1]
        known, known_types = list(arguments), list(function.params)
        for op, operands, attrs in function.body:
            operand_types = [known_types[i] for i in operands]
            known += run_instruction(op, [known[i] for i in operands], attrs, functions, proofs, operand_types)
            known_types += OPERATORS[op][0](operand_types, attrs, proofs)[0]
        return [known[i] for i in function.results]

    if name != "loop":
        return OPERATORS[name][1](values, attributes, run_function)
    states, outputs, taken = run_loop(values, attributes, run_function)
    results = OPERATORS[name][0](types, attributes, proofs)[0]
    stacked = results[len(states):len(results) - (1 if attributes["condition"] else 0)]
    for o, (shape, _) in enumerate(stacked):
        rows = list(itertools.chain(*(row[o] for row in outputs)))
        states = states + [rows + [0] * (numel(shape) - len(rows))]
    return states + ([[taken]] if attributes["condition"] else [])


class Control(Operator):
    """An operator whose cases bring functions."""

    functions = ()

    def using(self, *functions):
        self.functions = functions
        return self

    def _add(self, case):
        super()._add(case)
        self.cases[-1]["functions"] = [function.json() for function in self.functions]


def define(op):
    limits = {"function": (1, 2**31 - 1), "then_function": (1, 2**31 - 1), "else_function": (1, 2**31 - 1),
              "body": (1, 2**31 - 1), "trips": (1, 2**31 - 1), "states": (0, 1023), "scanned": (0, 1023)}

    def run(c):
        proofs = prove_functions(op.functions)
        require(op.name != "if" or len(c.operands) >= 1, "operand_count")
        for key, value in c.attributes.items():
            if key in limits:
                check_int(value, *limits[key])
        check_names(op.name, c.attributes, 0, len(proofs))
        types = [(operand.shape, operand.interval) for operand in c.operands]
        results, gas = OPERATORS[op.name][0](types, c.attributes, proofs)
        for shape, _ in results:
            check_shape(shape)
        named = {c.attributes[key] for key in NAMES[op.name]}
        for function in op.functions:
            named |= {attributes[key] for name, _, attributes in function.body for key in NAMES.get(name, [])}
        values = [operand.values for operand in c.operands]
        computed = run_instruction(op.name, values, c.attributes, op.functions, proofs, types)
        require(named >= set(range(1, len(proofs))), "function_unused")
        return [tensor(shape, value, interval) for (shape, interval), value in zip(results, computed)], gas

    return run


def control(name):
    op = Control("control", name, None)
    op.define = define(op)
    return op


def list_of(values, shape=None):
    return tensor(shape if shape is not None else [len(values)], values, constant=True)


def scalar(value, interval=None):
    return tensor([], [value], interval)


def constant_cases():
    op = Operator("control", "constant", constant, TENSOR_LIMITS | {"core": INT64_LIMIT})
    op.case("the only constant", [list_of([10, 300])], {"index": 0}, "cvm")
    op.case("the last of three", [list_of([1]), list_of([2, 2]), list_of([-3, 3], [2, 1])], {"index": 2}, "cvm")
    op.case("a scalar of 64 bits", [list_of([-(2**63)], [])], {"index": 0})
    op.case("both ends of 64 bits", [list_of([-(2**63), 2**63 - 1])], {"index": 0})
    op.case("least value of profile cvm", [list_of([-(2**31 - 1)])], {"index": 0}, "cvm")
    op.refuse("value_range", "below the limit of profile cvm", [list_of([-(2**31)])], {"index": 0}, "cvm")
    op.refuse("constant_c1", "behind the last", [list_of([1]), list_of([2])], {"index": 2})
    op.refuse("constant_c1", "no constants", [], {"index": 0})
    op.refuse("attribute_range", "before the first", [list_of([1])], {"index": -1})
    return op


PAIR = ([2], (-10, 10))
TWICE = Function([PAIR], [("broadcast_add", [0, 0], {})], [1])
SQUARE = Function([PAIR], [("broadcast_mul", [0, 0], {})], [1])


def call_cases():
    op = control("call")
    x, one = tensor([2], [-3, 4], (-10, 10)), {"function": 1}
    op.using(TWICE).case("twice", [x], one)
    op.case("an argument in a narrower interval", [tensor([2], [5, 6], (5, 6))], one)
    op.case("an argument in a narrower storage", [tensor([2], [5, 6])], one)
    op.using(Function([([2], (-1000, 1000))], [], [0, 0])).case("a parameter returned twice", [x], one)
    op.using(Function([], [("call", [], {"function": 2})], [0]), Function([PAIR, PAIR], [], [0])).refuse(
        "call_c1", "no argument inside a function", [], one)
    swap = Function([PAIR, ([], (0, 9))], [], [1, 0])
    op.using(swap).case("two results", [x, scalar(7, (0, 9))], one)
    nested = Function([PAIR], [("call", [0], {"function": 2}), ("call", [0], {"function": 2}),
                               ("broadcast_add", [1, 2], {})], [3])
    op.using(nested, TWICE).case("calls inside a call", [x], one)
    op.using(TWICE).refuse("call_c1", "too many arguments", [x, x], one)
    op.refuse("call_c1", "no argument", [], one)
    op.refuse("call_c2", "another shape", [tensor([1, 2], [1, 1])], one)
    op.refuse("call_c2", "above the declared interval", [tensor([2], [1, 1], (-10, 11))], one)
    op.refuse("function_reference", "behind the last function", [x], {"function": 2})
    op.refuse("attribute_range", "the entry", [x], {"function": 0})
    itself = Function([PAIR], [("call", [0], {"function": 1})], [1])
    op.using(itself).refuse("function_reference", "a function that calls itself", [x], one)
    back = Function([PAIR], [("call", [0], {"function": 1})], [1])
    op.using(nested, back).refuse("function_reference", "a function that calls an earlier one", [x], one)
    op.using(TWICE, SQUARE).refuse("function_unused", "a function that nobody calls", [x], one)
    return op


def if_cases():
    op = control("if")
    x, both = tensor([2], [-3, 4], (-10, 10)), {"then_function": 1, "else_function": 2}
    op.using(TWICE, SQUARE).case("true", [scalar(1, (0, 1)), x], both)
    op.case("false", [scalar(0, (0, 1)), x], both)
    op.case("negative is true", [tensor([1, 1], [-5]), x], both)
    inner = Function([PAIR], [("broadcast_sub", [0, 0], {})], [1])
    outer = Function([PAIR, ([], (-1, 1))], [("if", [1, 0], {"then_function": 3, "else_function": 4})], [2])
    first = Function([PAIR, ([], (-1, 1))], [], [0])
    for condition, other in itertools.product((0, 1), (0, 1)):
        op.using(first, outer, SQUARE, inner).case(f"nested, {condition} and {other}", [
            scalar(condition, (0, 1)), x, scalar(other, (-1, 1))], both)
    op.using(TWICE, SQUARE).refuse("if_c1", "two conditions", [x, x], both)
    op.refuse("if_c2", "no argument", [scalar(1)], both)
    op.refuse("if_c3", "another shape", [scalar(1), scalar(1)], both)
    op.refuse("if_c3", "outside the declared interval", [scalar(1), tensor([2], [0, 0], (-11, 0))], both)
    op.using(Function([PAIR], [], [0, 0]), SQUARE).refuse("if_c4", "two results or one", [scalar(1), x], both)
    op.using(Function([PAIR, ([], (0, 0))], [], [1]), Function([PAIR, ([], (0, 0))], [], [0])).refuse(
        "if_c5", "another shape of a result", [scalar(1), x, scalar(0)], both)
    op.using(TWICE, SQUARE).refuse("operand_count", "no condition", [], both)
    op.refuse("function_reference", "no such branch", [scalar(1), x], both | {"else_function": 3})
    return op


INDEX = ([], (0, 9))


def loop_attributes(trips, states=0, scanned=0, condition=False):
    return {"body": 1, "trips": trips, "states": states, "scanned": scanned, "condition": condition}


def loop_cases():
    op = control("loop")
    state = ([], (-100, 100))
    # s := clip(s + index), with s stacked
    count = Function([INDEX, state], [("broadcast_add", [0, 1], {}), ("clip", [2], {"a_min": -100, "a_max": 100})],
                     [3, 1])
    op.using(count).case("a sum of indices, stacked", [scalar(1, (0, 5))], loop_attributes(5, 1))
    op.case("one iteration", [scalar(1, (0, 5))], loop_attributes(1, 1))
    # Fibonacci: a, b := b, clip(a + b)
    pair = ([], (0, 100))
    fibonacci = Function([INDEX, pair, pair],
                         [("broadcast_add", [1, 2], {}), ("clip", [3], {"a_min": 0, "a_max": 100})], [2, 4, 2])
    op.using(fibonacci).case("states that change places", [scalar(0), scalar(1)], loop_attributes(9, 2))
    op.case("an even number of iterations", [scalar(0), scalar(1)], loop_attributes(8, 2))
    # Row by row: s := clip(s + row * w), stacked
    row = ([2], (-5, 5))
    scan = Function([INDEX, ([2], (-100, 100)), ([], (-3, 3)), row],
                    [("broadcast_mul", [3, 2], {}), ("broadcast_add", [1, 4], {}),
                     ("clip", [5], {"a_min": -100, "a_max": 100})], [6, 6])
    rows = tensor([3, 2], [1, -2, 3, -4, 5, -5], (-5, 5))
    op.using(scan).case("scanned rows and a fixed weight",
                        [tensor([2], [0, 10], (0, 10)), scalar(-3, (-3, 3)), rows], loop_attributes(3, 1, 1))
    op.case("operands in narrower intervals",
            [tensor([2], [0, 10]), scalar(2), tensor([3, 2], [1, 0, 1, 0, 1, 1])], loop_attributes(3, 1, 1))
    # While s < limit: s := s + s, as limit - s clipped to [0, 1]; squares of what was, stacked
    double = Function([INDEX, ([], (1, 1000)), ([], (0, 500))],
                      [("broadcast_add", [1, 1], {}), ("clip", [3], {"a_min": 1, "a_max": 1000}),
                       ("broadcast_sub", [2, 4], {}), ("clip", [5], {"a_min": 0, "a_max": 1})], [6, 4, 3])
    for limit in (0, 1, 20, 500):
        op.using(double).case(f"doubles up to {limit}", [scalar(1), scalar(1), scalar(limit, (0, 500))],
                              loop_attributes(6, 1, condition=True))
    op.case("does not start", [scalar(0, (0, 1)), scalar(7, (1, 7)), scalar(100, (0, 500))],
            loop_attributes(6, 1, condition=True))
    op.using(Function([INDEX], [], [0])).case("only the index", [], loop_attributes(4))
    op.using(Function([INDEX], [], [0])).case("goes on while the index is not 0", [scalar(1)],
                                              loop_attributes(4, condition=True))
    # A loop in a loop: the inner one adds its index k times.
    outer = Function([INDEX, state], [("loop", [1], loop_attributes(3, 1) | {"body": 2})], [2, 3])
    op.using(outer, count).case("a loop in a loop", [scalar(1, (0, 5))], loop_attributes(4, 1))
    # An if in a loop: a branch for the first iteration, one for the others.
    chosen = Function([INDEX, PAIR], [("if", [0, 1], {"then_function": 2, "else_function": 3}),
                                      ("clip", [2], {"a_min": -10, "a_max": 10})], [3, 2])
    op.using(chosen, TWICE, SQUARE).case("an if in a loop", [tensor([2], [-3, 2], (-10, 10))], loop_attributes(3, 1))

    s = scalar(1, (0, 5))
    op.using(count).refuse("loop_c1", "no state", [], loop_attributes(5, 1))
    op.refuse("loop_c1", "no room for a scanned operand", [s], loop_attributes(5, 1, 1))
    op.refuse("loop_c2", "no parameter for a fixed operand", [s, s], loop_attributes(5, 1))
    op.using(Function([INDEX, state, state], [], [1])).refuse("loop_c3", "no result for a state", [s, s],
                                                             loop_attributes(5, 2))
    op.using(count).refuse("loop_c4", "an index above the declared interval", [s], loop_attributes(11, 1))
    op.using(Function([([1], (0, 9)), state], [], [1])).refuse("loop_c4", "an index that is no scalar", [s],
                                                              loop_attributes(5, 1))
    op.using(double).refuse("loop_c5", "two conditions", [tensor([2], [1, 1]), scalar(1), scalar(5)],
                            loop_attributes(6, 1, condition=True))
    op.using(count).refuse("loop_c6", "a state outside the declared interval", [scalar(101)], loop_attributes(5, 1))
    op.using(scan).refuse("loop_c6", "a fixed operand of another shape", [tensor([2], [0, 0]), tensor([1], [1]), rows],
                          loop_attributes(3, 1, 1))
    op.refuse("loop_c7", "rows for fewer iterations", [tensor([2], [0, 0]), scalar(1), rows], loop_attributes(2, 1, 1))
    op.refuse("loop_c7", "rows outside the declared interval",
              [tensor([2], [0, 0]), scalar(1), tensor([3, 2], [0] * 6, (-6, 0))], loop_attributes(3, 1, 1))
    op.using(Function([INDEX, PAIR], [], [1, 1])).refuse("loop_c8", "a condition of two elements",
                                                         [scalar(1), tensor([2], [0, 0])],
                                                         loop_attributes(3, 1, condition=True))
    op.using(Function([INDEX, state], [("broadcast_add", [0, 1], {})], [2])).refuse(
        "loop_c9", "a state that leaves its interval", [s], loop_attributes(5, 1))
    op.using(count).refuse("attribute_range", "no iteration", [s], loop_attributes(0, 1))
    op.refuse("function_reference", "no such body", [s], loop_attributes(5, 1) | {"body": 2})
    return op


main(__file__, [constant_cases(), call_cases(), if_cases(), loop_cases()])
