#include "serializer/load_module.h"

#include <memory>

#include "base/status_macros.h"
#include "serializer/decode.h"
#include "serializer/mapped_file.h"

namespace tally {

absl::StatusOr<Module> LoadModule(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  return Decode(file->bytes(), file);
}

}  // namespace tally
