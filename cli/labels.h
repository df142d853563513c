// Labels of the command line (docs/guides/command_line.md#how-a-command-ends).
#pragma once

#include "base/error.h"

namespace tally::label {

TALLY_LABEL(request, InvalidArgument, usage, "the command line is not one that `--help` describes");
TALLY_LABEL(request, InvalidArgument, option_syntax, "an option is not of the form that its help shows");
TALLY_LABEL(request, InvalidArgument, input_name,
            "`--input` leaves out a parameter, names one twice, or names none");
TALLY_LABEL(request, InvalidArgument, input_type,
            "the elements of an input are not integers, nor floats for a parameter that has a grid");
TALLY_LABEL(request, InvalidArgument, labels_text, "a file of labels must be text with one label per line");
TALLY_LABEL(request, InvalidArgument, notes_form,
            "notes beside a module must be what `tally quantize` writes");
TALLY_LABEL(request, InvalidArgument, samples_type, "samples are not float32");
TALLY_LABEL(request, InvalidArgument, samples_shape, "samples have another shape than the input");
TALLY_LABEL(request, InvalidArgument, samples_range,
            "integers of samples lie outside what `--input-grid` says of the input");
TALLY_LABEL(request, InvalidArgument, npz_format, "a file is not an .npz file that is read, or is damaged");
TALLY_LABEL(request, InvalidArgument, image_format,
            "an image is neither a PNG nor a JPEG that is read, or is damaged");
TALLY_LABEL(request, InvalidArgument, image_size,
            "an image is too large, or of another size than the input takes");
TALLY_LABEL(request, InvalidArgument, sound_format,
            "a recording is of no format that is read, or is damaged");
TALLY_LABEL(request, InvalidArgument, json_lines,
            "a line of samples in JSON is not numbers, or lacks an input");
TALLY_LABEL(model, Unimplemented, model_refused, "`check` lists what of a model is not imported");
TALLY_LABEL(request, InvalidArgument, report_module,
            "`quantize` makes another module of the network that a report is asked for");
TALLY_LABEL(request, InvalidArgument, accuracy_low, "a module is less accurate than a threshold asks for");
TALLY_LABEL(file, FailedPrecondition, stdout_write, "standard output is full or closed");
TALLY_LABEL(file, InvalidArgument, run_folder,
            "the tensors of a run are not those that its claim and its trace commit to");
TALLY_LABEL(fault, ResourceExhausted, out_of_memory, "the machine has too little memory for the request");
TALLY_LABEL(fault, Internal, internal, "a fault of the tool");
TALLY_LABEL(file, FailedPrecondition, work_list,
            "the work list of an audit cannot be read or written, or is a file of another kind");
TALLY_LABEL(file, InvalidArgument, audit_lines,
            "a file of claims or verdicts of an audit has a line of another form");
TALLY_LABEL(request, FailedPrecondition, audit_shards, "a folder for claims of an audit has some already");
TALLY_LABEL(fault, Unavailable, audit_executor,
            "the program that audits on a cluster cannot start, or has failed");
TALLY_LABEL(proof, InvalidArgument, audit_diverged, "an audit has found receipts that no run gives");
TALLY_LABEL(fault, Internal, audit_unfinished, "each audit of a claim has ended its process");
TALLY_LABEL(fault, DataLoss, audit_disagrees, "two runs of one audit give different verdicts on a claim");

}  // namespace tally::label
