// Facts about a module that it cannot hold, in a file beside it, MODULE.notes: JSON with the id of the
// module, so that that of another one is not taken for its own. Its digest is in the module's origin.
//
//   ASSIGN_OR_RETURN(const Notes notes, ReadNotesBeside("m.tally", module));
//   notes.labels[3];                  // "cat"
//   notes.preparation.resize;         // 256, as `tally quantize` was told
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/input_options.h"
#include "vm/module.h"

namespace tally::cli {

struct Notes {
  std::vector<std::string> labels = {};      // one for each element of a row, from the model's file
  std::vector<std::string> bgr_inputs = {};  // images whose channels are blue, green and red, from that file
  Preparation preparation = {};              // the options of `tally quantize`
  ServedInputOptions served = {};

  bool operator==(const Notes&) const = default;
};

std::string NotesBeside(const std::string& module);
std::string TextOfNotes(const std::string& module_id, const Notes& notes);
// Nothing where there is no such file, or it is of another module. Errors: those of ReadFile; notes_form,
// where the file is not what TextOfNotes writes, or not what the origin beside the module names.
absl::StatusOr<Notes> ReadNotesBeside(const std::string& path, const Module& module);

// Whether text is a label: UTF-8 without control characters, of at most 1024 bytes.
bool IsLabel(std::string_view text);

}  // namespace tally::cli
