// libpng leaves its functions by longjmp where a file is damaged. Each function here that calls setjmp owns
// nothing: what a jump passes over has no destructors, and memory belongs to the callers.
#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/samples/decode_image.h"

namespace tally::cli {
namespace {

constexpr png_alloc_size_t kMaxChunkBytes = 1 << 23;

struct PngFile {
  explicit PngFile(std::span<const uint8_t> file);
  ~PngFile() { png_destroy_read_struct(&png, &info, nullptr); }
  PngFile(const PngFile&) = delete;
  PngFile& operator=(const PngFile&) = delete;

  png_structp png = nullptr;
  png_infop info = nullptr;
  std::span<const uint8_t> rest;  // not read yet
  char message[128] = {};
};

[[noreturn]] void OnError(png_structp png, png_const_charp message) {
  auto* file = static_cast<PngFile*>(png_get_error_ptr(png));
  std::snprintf(file->message, sizeof file->message, "%s", message);
  png_longjmp(png, 1);
}

void OnWarning(png_structp, png_const_charp) {}

void Read(png_structp png, png_bytep out, size_t size) {
  auto* file = static_cast<PngFile*>(png_get_io_ptr(png));
  if (size > file->rest.size()) png_error(png, "it ends early");
  std::memcpy(out, file->rest.data(), size);
  file->rest = file->rest.subspan(size);
}

PngFile::PngFile(std::span<const uint8_t> file) : rest(file) {
  png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, OnError, OnWarning);
  if (png == nullptr) return;
  info = png_create_info_struct(png);
}

// Up to the pixels, which become 8 bits of gray or RGB. False with a message.
bool ReadHeader(PngFile& file) {
  if (setjmp(png_jmpbuf(file.png))) return false;
  png_set_read_fn(file.png, &file, Read);
  png_set_user_limits(file.png, kMaxImageSide, kMaxImageSide);
  png_set_chunk_malloc_max(file.png, kMaxChunkBytes);
  png_set_chunk_cache_max(file.png, 64);
  png_read_info(file.png, file.info);
  png_set_expand(file.png);
  png_set_scale_16(file.png);
  png_set_strip_alpha(file.png);
  return true;
}

bool StartRows(PngFile& file) {
  if (setjmp(png_jmpbuf(file.png))) return false;
  png_set_interlace_handling(file.png);
  png_read_update_info(file.png, file.info);
  return true;
}

bool ReadRows(PngFile& file, png_bytepp rows) {
  if (setjmp(png_jmpbuf(file.png))) return false;
  png_read_image(file.png, rows);
  png_read_end(file.png, nullptr);
  return true;
}

absl::Status Damaged(const PngFile& file) {
  return MakeError(label::image_format, absl::StrCat("the PNG is damaged: ", file.message));
}

}  // namespace

absl::StatusOr<Image> DecodePng(std::span<const uint8_t> bytes) {
  PngFile file(bytes);
  if (file.info == nullptr) return MakeError(label::out_of_memory, "there is no memory for a PNG decoder");
  if (!ReadHeader(file)) return Damaged(file);
  const bool has_color = (png_get_color_type(file.png, file.info) & PNG_COLOR_MASK_COLOR) != 0;
  ASSIGN_OR_RETURN(Image image, EmptyImage(png_get_image_width(file.png, file.info),
                                           png_get_image_height(file.png, file.info), has_color ? 3 : 1));
  if (!StartRows(file)) return Damaged(file);
  const auto row_bytes = static_cast<size_t>(image.width * image.channels);
  if (png_get_rowbytes(file.png, file.info) != row_bytes)
    return MakeError(label::image_format, "the PNG has pixels of an unknown kind");
  image.samples.resize(row_bytes * static_cast<size_t>(image.height));
  std::vector<png_bytep> rows;
  for (int64_t y = 0; y < image.height; ++y)
    rows.push_back(image.samples.data() + static_cast<size_t>(y) * row_bytes);
  if (!ReadRows(file, rows.data())) return Damaged(file);
  return image;
}

}  // namespace tally::cli
