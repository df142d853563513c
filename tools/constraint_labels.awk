# Makes ops/<family>/labels.h from ops/<family>/spec.md: a label for each line "- C<n> ..." under "## <operator>".

BEGIN {
    print "// The labels of constraints, made from " ARGV[1] "."
    print "#pragma once\n\n#include \"base/error.h\"\n\nnamespace tally::label {\n"
}
/^## / { operator = $2 }
/^- C[0-9]+ / { printf "TALLY_LABEL(invalid, InvalidArgument, %s_c%s, \"\");\n", operator, substr($2, 2) }
END { print "\n}  // namespace tally::label" }
