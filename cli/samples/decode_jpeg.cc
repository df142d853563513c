// libjpeg leaves its functions by longjmp where a file is damaged. Each function here that calls setjmp owns
// nothing: what a jump passes over has no destructors, and memory belongs to the callers.
// jpeglib.h expects what cstdio brings.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
// clang-format on

#include <csetjmp>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/samples/decode_image.h"

namespace tally::cli {
namespace {

// A small file may ask for thousands of passes over a large image; encoders write about ten.
constexpr int kMaxScans = 100;
constexpr long kMaxDecoderBytes = 1L << 30;

struct JpegFile {
  JpegFile();
  ~JpegFile() { jpeg_destroy_decompress(&jpeg); }
  JpegFile(const JpegFile&) = delete;
  JpegFile& operator=(const JpegFile&) = delete;

  jpeg_decompress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  jpeg_progress_mgr progress = {};
  jmp_buf refuse;
  char message[JMSG_LENGTH_MAX] = {};
};

JpegFile& FileOf(j_common_ptr jpeg) { return *static_cast<JpegFile*>(jpeg->client_data); }

[[noreturn]] void OnError(j_common_ptr jpeg) {
  JpegFile& file = FileOf(jpeg);
  jpeg->err->format_message(jpeg, file.message);
  std::longjmp(file.refuse, 1);
}

// A warning says that data are damaged and pixels made up: libjpeg would go on.
void OnMessage(j_common_ptr jpeg, int level) {
  if (level < 0) OnError(jpeg);
}

void OnProgress(j_common_ptr jpeg) {
  JpegFile& file = FileOf(jpeg);
  if (file.jpeg.input_scan_number <= kMaxScans) return;
  std::snprintf(file.message, sizeof file.message, "it has more than %d scans", kMaxScans);
  std::longjmp(file.refuse, 1);
}

JpegFile::JpegFile() {
  jpeg.err = jpeg_std_error(&errors);
  jpeg.client_data = this;
  errors.error_exit = OnError;
  errors.emit_message = OnMessage;
  progress.progress_monitor = OnProgress;
}

// Up to the pixels. False with a message.
bool ReadHeader(JpegFile& file, const uint8_t* bytes, size_t size) {
  if (setjmp(file.refuse)) return false;
  jpeg_create_decompress(&file.jpeg);
  file.jpeg.progress = &file.progress;
  file.jpeg.mem->max_memory_to_use = kMaxDecoderBytes;
  jpeg_mem_src(&file.jpeg, bytes, size);
  jpeg_read_header(&file.jpeg, TRUE);
  return true;
}

bool ReadRows(JpegFile& file, uint8_t* samples, size_t row_bytes) {
  if (setjmp(file.refuse)) return false;
  jpeg_start_decompress(&file.jpeg);
  while (file.jpeg.output_scanline < file.jpeg.output_height) {
    JSAMPROW row = samples + file.jpeg.output_scanline * row_bytes;
    jpeg_read_scanlines(&file.jpeg, &row, 1);
  }
  jpeg_finish_decompress(&file.jpeg);
  return true;
}

absl::Status Damaged(const JpegFile& file) {
  return MakeError(label::image_format, absl::StrCat("the JPEG is damaged: ", file.message));
}

}  // namespace

absl::StatusOr<Image> DecodeJpeg(std::span<const uint8_t> bytes) {
  JpegFile file;
  if (!ReadHeader(file, bytes.data(), bytes.size())) return Damaged(file);
  const J_COLOR_SPACE space = file.jpeg.jpeg_color_space;
  if (space != JCS_GRAYSCALE && space != JCS_YCbCr && space != JCS_RGB)
    return MakeError(label::image_format, "the JPEG is neither gray nor in color of three components");
  const bool is_gray = space == JCS_GRAYSCALE;
  file.jpeg.out_color_space = is_gray ? JCS_GRAYSCALE : JCS_RGB;
  ASSIGN_OR_RETURN(Image image, EmptyImage(file.jpeg.image_width, file.jpeg.image_height, is_gray ? 1 : 3));
  const auto row_bytes = static_cast<size_t>(image.width * image.channels);
  image.samples.resize(row_bytes * static_cast<size_t>(image.height));
  if (!ReadRows(file, image.samples.data(), row_bytes)) return Damaged(file);
  return image;
}

}  // namespace tally::cli
