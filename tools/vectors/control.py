"""Vectors of the control family, from ops/control/spec.md."""

from vectorlib import *


def constant(c):
    """The operands of a case are the constants of its module."""
    index = c.attributes["index"]
    check_int(index, 0, 2**31 - 1)
    require(index < len(c.operands), "constant_c1")
    return [c.operands[index]], 0


def list_of(values, shape=None):
    return tensor(shape if shape is not None else [len(values)], values, constant=True)


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


main(__file__, [constant_cases()])
