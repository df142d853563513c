"""Sources that hold many mutants at once: the variable TALLY_MUTANT says which of them lives in a run.

Only a copy of the tree is ever written so; the tree itself has no hook. In constant expressions the original stands.
"""

import zlib

from planted import is_statement

VARIABLE = "TALLY_MUTANT"

# Pasted into each file, so that no target needs another dependency. Internal linkage, so that files which are
# compiled for other instruction sets share nothing.
PROLOGUE = """\
#ifndef TALLY_MUTANTS_ARE_PLANTED
#define TALLY_MUTANTS_ARE_PLANTED
#include <cstdlib>
namespace tally_mutants {
[[maybe_unused]] static const unsigned long kAlive = [] {
  const char* id = std::getenv("%s");
  return id == nullptr ? 0 : std::strtoul(id, nullptr, 10);
}();
[[maybe_unused]] static constexpr bool Lives(unsigned long id) {
  return !__builtin_is_constant_evaluated() && kAlive == id;
}
}  // namespace tally_mutants
#endif
#line 1
""" % VARIABLE


def number(mutant_id):
    """What TALLY_MUTANT is for a mutant: the same however the lists change, so that files stay as they are built."""
    return zlib.crc32(mutant_id.encode())


def rewrite(text, mutants):
    """`text` with all of `mutants`, which are of this file. Those at one place share it."""
    places = {}
    for mutant in mutants:
        places.setdefault(mutant.span(text), []).append(mutant)
    for (begin, end), here in sorted(places.items(), reverse=True):
        text = text[:begin] + choice(text[begin:end], here) + text[end:]
    return PROLOGUE + text


def choice(original, mutants):
    """The original, or the mutant that lives."""
    statement = is_statement(original)
    for mutant in mutants:
        lives = f"::tally_mutants::Lives({number(mutant.id)}u)"
        if statement:
            original = f"{{ if ({lives}) {{ {mutant.becomes}\n}} else {{ {original}\n}} }}"  # behind a comment, too
        else:
            original = f"({lives} ? ({mutant.becomes}) : ({original}))"
    return original


def replace(text, mutant):
    """`text` with the one fault in it and no choice, for mutants that are built on their own."""
    begin, end = mutant.span(text)
    return text[:begin] + mutant.becomes + text[end:]
