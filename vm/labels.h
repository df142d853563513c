// Labels that validation, planning and running raise, besides those of ops/labels.h.
#pragma once

#include "base/error.h"

namespace tally::label {

TALLY_LABEL(invalid, InvalidArgument, bad_spec_version,
            "the module asks for a spec version that this validator lacks");
TALLY_LABEL(invalid, InvalidArgument, function_count, "a module has no function, or more than the limit");
TALLY_LABEL(invalid, InvalidArgument, metadata_count,
            "metadata does not describe every parameter and every result once");
TALLY_LABEL(invalid, InvalidArgument, metadata_name, "a name is empty, too long, or used twice");
TALLY_LABEL(invalid, InvalidArgument, metadata_quantization,
            "multiplier or shift of a scale is out of range");
TALLY_LABEL(invalid, InvalidArgument, value_count,
            "more instructions, parameters, results or constants than the limits allow");
TALLY_LABEL(invalid, InvalidArgument, param_interval,
            "a parameter's interval is empty or outside the tensor limit");
TALLY_LABEL(invalid, InvalidArgument, constant_storage,
            "a constant is not in the narrowest storage of its values");
TALLY_LABEL(invalid, InvalidArgument, constant_size, "a constant's bytes do not match its shape and storage");
TALLY_LABEL(invalid, InvalidArgument, recipe_entries_limit,
            "the recipes of the module have more than 2^20 entries");
TALLY_LABEL(invalid, InvalidArgument, recipe_digest,
            "the entries of a recipe do not have the SHA-256 that the module says");
TALLY_LABEL(invalid, InvalidArgument, constant_unused, "no instruction yields this constant");
TALLY_LABEL(invalid, InvalidArgument, profile_operator,
            "the operator does not belong to the module's profile");
TALLY_LABEL(invalid, InvalidArgument, operand_undefined, "an operand is not defined before the instruction");
TALLY_LABEL(invalid, InvalidArgument, constant_reads_limit,
            "the type rules would read constants too many times over");
TALLY_LABEL(invalid, InvalidArgument, cvm_shape, "a shape exceeds the limits of profile cvm");
TALLY_LABEL(invalid, InvalidArgument, cvm_precision, "a published precision exceeds 32");
TALLY_LABEL(invalid, InvalidArgument, result_undefined, "a result names a value that does not exist");
TALLY_LABEL(invalid, InvalidArgument, result_missing, "a function has no results");
TALLY_LABEL(invalid, InvalidArgument, function_unused, "no instruction names this function");
TALLY_LABEL(invalid, InvalidArgument, call_depth, "too many functions run inside one another");
TALLY_LABEL(invalid, InvalidArgument, gas_limit_of_module, "total gas exceeds 2^62");
TALLY_LABEL(invalid, InvalidArgument, live_pairs_limit,
            "too many values are live at the same time to plan their memory");
TALLY_LABEL(invalid, InvalidArgument, program_types,
            "the bounds of a program have types that its instructions do not give");
TALLY_LABEL(invalid, InvalidArgument, memory_limit_of_module, "all values together exceed 2^60 bytes");

TALLY_LABEL(refused, InvalidArgument, input_count, "the caller gave another number of inputs");
TALLY_LABEL(refused, InvalidArgument, input_shape, "an input has another shape than its parameter");
TALLY_LABEL(refused, InvalidArgument, input_interval, "an input element is outside the declared interval");
TALLY_LABEL(refused, InvalidArgument, result_count, "the caller gave memory for another number of results");
TALLY_LABEL(refused, InvalidArgument, result_size,
            "the caller's memory for a result has another size than its type");
TALLY_LABEL(refused, ResourceExhausted, gas_limit, "the module costs more gas than the caller allows");
TALLY_LABEL(refused, ResourceExhausted, memory_limit,
            "the arena of the module is larger than the caller allows");
TALLY_LABEL(refused, InvalidArgument, arch_unknown, "unknown instruction-set level");
TALLY_LABEL(refused, FailedPrecondition, engine_unavailable, "this build or this machine has no such engine");
TALLY_LABEL(refused, FailedPrecondition, self_test,
            "the engine computes something else on this machine than known answers say");
TALLY_LABEL(refused, ResourceExhausted, device_memory, "the device has too little memory for the plan");
TALLY_LABEL(refused, Unavailable, device_failed, "the device failed while it ran the module");
TALLY_LABEL(refused, Cancelled, cancelled, "the caller has cancelled the run");
TALLY_LABEL(refused, Internal, check_failed, "a value of an engine is not what the references compute");
TALLY_LABEL(refused, InvalidArgument, cvm_gas_profile,
            "gas of schedule cvm is asked for a module of another profile");
TALLY_LABEL(refused, ResourceExhausted, cvm_gas_limit, "gas of schedule cvm exceeds a limit of cvm-runtime");

TALLY_LABEL(judged, InvalidArgument, element_interval,
            "an element that a referee reads is outside its shape or its interval");
TALLY_LABEL(judged, InvalidArgument, element_overflow,
            "integers that a referee reads are not those of a run: one that it makes of them does not fit");
TALLY_LABEL(judged, ResourceExhausted, judgement_size,
            "an element asks for more work than the evidence about it can be worth");
TALLY_LABEL(judged, ResourceExhausted, expansion_size,
            "an element has no expansion: it would have more integers than gas");
TALLY_LABEL(judged, InvalidArgument, step_order,
            "integers that a step of an expansion reads are not those of a run");

TALLY_LABEL(fault, Internal, lowering_failed, "what an operator is lowered to is no valid module");

}  // namespace tally::label
