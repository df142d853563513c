#include "cli/samples/testing/encode_image.h"

#include <cstdlib>

namespace tally::cli {

std::vector<uint8_t> Png(uint32_t format, int64_t width, int64_t height, const void* samples,
                         const void* colors) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = format;
  image.colormap_entries = colors == nullptr ? 0 : 2;
  png_alloc_size_t size = 0;
  if (png_image_write_to_memory(&image, nullptr, &size, 0, samples, 0, colors) == 0) std::abort();
  std::vector<uint8_t> file(size);
  if (png_image_write_to_memory(&image, file.data(), &size, 0, samples, 0, colors) == 0) std::abort();
  file.resize(size);
  return file;
}

std::vector<uint8_t> Jpeg(J_COLOR_SPACE space, int components, int width, int height,
                          const std::vector<uint8_t>& samples, bool progressive) {
  jpeg_compress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* file = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &file, &size);
  jpeg.image_width = static_cast<JDIMENSION>(width);
  jpeg.image_height = static_cast<JDIMENSION>(height);
  jpeg.input_components = components;
  jpeg.in_color_space = space;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 100, TRUE);
  if (progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  for (int y = 0; y < height; ++y) {
    std::vector<uint8_t> row(samples.begin() + y * width * components,
                             samples.begin() + (y + 1) * width * components);
    JSAMPROW rows = row.data();
    jpeg_write_scanlines(&jpeg, &rows, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::vector<uint8_t> bytes(file, file + size);
  std::free(file);
  return bytes;
}

}  // namespace tally::cli
