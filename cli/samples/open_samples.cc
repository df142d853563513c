#include "cli/samples/open_samples.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/io/file.h"
#include "base/io/input_file.h"
#include "base/io/path.h"
#include "base/labels.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/samples/array_samples.h"
#include "cli/samples/image_samples.h"
#include "cli/samples/json_samples.h"
#include "cli/samples/npz.h"
#include "cli/samples/sound_samples.h"

namespace tally::cli {
namespace {

using File = std::shared_ptr<const InputFile>;

absl::StatusOr<File> OpenFile(const std::string& path) {
  ASSIGN_OR_RETURN(InputFile file, InputFile::Open(path, kMaxSampleFileBytes));
  return std::make_shared<const InputFile>(std::move(file));
}

// The member of this name, or the only one.
absl::StatusOr<std::unique_ptr<StoredBytes>> OpenArray(const File& file, const std::string& name) {
  ASSIGN_OR_RETURN(const std::vector<NpzMember> members, ListNpz(file));
  for (const NpzMember& member : members) {
    if (member.name == name || members.size() == 1) return OpenMember(file, member);
  }
  return MakeError(label::npz_format,
                   absl::StrCat("none of the ", members.size(), " arrays is called '", name, "'"));
}

// The names of an .npz file; nothing for other paths.
absl::StatusOr<std::vector<std::string>> ArrayNames(const std::string& path) {
  std::vector<std::string> names;
  if (IsFolder(path)) return names;
  ASSIGN_OR_RETURN(const File file, OpenFile(path));
  ASSIGN_OR_RETURN(const bool is_json, IsJsonLines(*PlainBytes(file, 0, file->size())));
  if (is_json) return JsonNames(path);
  ASSIGN_OR_RETURN(const bool is_npz, IsNpz(file));
  if (!is_npz) return names;
  ASSIGN_OR_RETURN(const std::vector<NpzMember> members, ListNpz(file));
  for (const NpzMember& member : members) names.push_back(member.name);
  return names;
}

// The files in a folder, or in the folders of it.
struct Found {
  std::vector<std::string> images, sounds, folders;
};

absl::Status Find(const std::string& folder, Found& found) {
  constexpr size_t kMaxFiles = 10'000'000;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(PathOf(folder), error), end; !error && entry != end;
       entry.increment(error)) {
    std::string path = entry->path().generic_string();
    const bool is_image = HasImageName(path), is_folder = entry->is_directory(error);
    if (!is_image && !HasSoundName(path) && !is_folder) continue;
    if (found.images.size() + found.sounds.size() + found.folders.size() == kMaxFiles)
      return ReadError(label::file_open, folder, "it is a folder of too many files");
    (is_folder ? found.folders : is_image ? found.images : found.sounds).push_back(std::move(path));
  }
  return error ? ReadError(label::file_open, folder, error.message()) : absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Samples>> OpenFolder(const std::string& folder, const SampleForm& form) {
  Found found;
  RETURN_IF_ERROR(Find(folder, found));
  if (found.images.empty() && found.sounds.empty()) {
    const std::vector<std::string> classes = std::move(found.folders);
    for (const std::string& one : classes) RETURN_IF_ERROR(Find(one, found));
  }
  if (found.images.empty() == found.sounds.empty()) {
    return ReadError(label::file_open, folder,
                     found.images.empty()
                         ? "it is a folder without images (.png, .jpg, .jpeg) and recordings (.wav, "
                           ".flac, .ogg, .aiff)"
                         : "it is a folder of images and of recordings");
  }
  std::ranges::sort(found.images);
  std::ranges::sort(found.sounds);
  return found.sounds.empty() ? OpenImages(std::move(found.images), form)
                              : OpenSounds(std::move(found.sounds), form);
}

absl::StatusOr<std::unique_ptr<Samples>> Open(const std::string& path, const SampleForm& form) {
  if (IsFolder(path)) return OpenFolder(path, form);
  ASSIGN_OR_RETURN(const File file, OpenFile(path));
  ASSIGN_OR_RETURN(const bool is_npz, IsNpz(file));
  if (is_npz) {
    ASSIGN_OR_RETURN(std::unique_ptr<StoredBytes> array, OpenArray(file, form.name));
    return OpenNpy(std::move(array), form);
  }
  const std::unique_ptr<StoredBytes> bytes = PlainBytes(file, 0, file->size());
  ASSIGN_OR_RETURN(const bool is_image, IsImage(*bytes));
  if (is_image) return OpenImages({path}, form);
  ASSIGN_OR_RETURN(const bool is_sound, IsSound(*bytes));
  if (is_sound) return OpenSounds({path}, form);
  ASSIGN_OR_RETURN(const bool is_json, IsJsonLines(*bytes));
  if (is_json) return OpenJsonLines(path, form);
  return OpenNpy(PlainBytes(file, 0, file->size()), form);
}

}  // namespace

bool IsFolder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(PathOf(path), ignored);
}

std::string Samples::file(int64_t) const { return ""; }

absl::StatusOr<std::unique_ptr<Samples>> OpenSamples(const std::string& path, const SampleForm& form) {
  auto samples = Open(path, form);
  const absl::Status& status = samples.status();
  if (status.ok() || ErrorLabel(status).starts_with("file_")) return samples;  // those name the path
  return WithMessage(
      status, absl::StrCat("'", path, HasLabel(status, form.wrong_shape) ? "' " : "': ", status.message()));
}

absl::StatusOr<std::vector<std::string>> WithArrayNames(const std::vector<std::string>& options,
                                                        size_t inputs) {
  std::vector<std::string> named;
  for (const std::string& option : options) {
    std::vector<std::string> arrays;
    if (inputs > 1 && option.find('=') == std::string::npos) {
      ASSIGN_OR_RETURN(arrays, ArrayNames(option));
    }
    for (const std::string& array : arrays) named.push_back(absl::StrCat(array, "=", option));
    if (arrays.empty()) named.push_back(option);
  }
  return named;
}

}  // namespace tally::cli
