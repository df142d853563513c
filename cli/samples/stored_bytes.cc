#include "cli/samples/stored_bytes.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/labels.h"
#include "base/status_macros.h"
#include "cli/labels.h"

namespace tally::cli {
namespace {

class Plain : public StoredBytes {
 public:
  Plain(std::shared_ptr<const InputFile> file, uint64_t first, uint64_t size)
      : file_(std::move(file)), first_(first), size_(size) {}

  uint64_t size() const override { return size_; }

  absl::Status Read(uint64_t offset, std::span<uint8_t> out) override {
    return file_->ReadAt(first_ + offset, out);
  }

 private:
  std::shared_ptr<const InputFile> file_;
  uint64_t first_, size_;
};

class Deflated : public StoredBytes {
 public:
  Deflated(std::unique_ptr<StoredBytes> compressed, uint64_t size)
      : compressed_(std::move(compressed)), size_(size), piece_(kPiece) {}
  ~Deflated() override { Stop(); }
  Deflated(const Deflated&) = delete;
  Deflated& operator=(const Deflated&) = delete;

  uint64_t size() const override { return size_; }

  absl::Status Read(uint64_t offset, std::span<uint8_t> out) override {
    if (!started_ || offset < position_) RETURN_IF_ERROR(Start());
    std::vector<uint8_t> skipped(std::min<uint64_t>(offset - position_, kPiece));
    while (position_ < offset) {
      const auto size = std::min<uint64_t>(offset - position_, kPiece);
      RETURN_IF_ERROR(Next({skipped.data(), static_cast<size_t>(size)}));
    }
    while (!out.empty()) {  // zlib counts in 32 bits
      const size_t size = std::min<size_t>(out.size(), size_t{1} << 30);
      RETURN_IF_ERROR(Next(out.first(size)));
      out = out.subspan(size);
    }
    return absl::OkStatus();
  }

 private:
  static constexpr size_t kPiece = size_t{1} << 16;

  void Stop() {
    if (started_) inflateEnd(&stream_);
    started_ = false;
  }

  absl::Status Start() {
    Stop();
    stream_ = {};
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK)
      return MakeError(label::out_of_memory, "there is no memory to decompress samples");
    started_ = true;
    position_ = compressed_position_ = 0;
    return absl::OkStatus();
  }

  absl::Status Next(std::span<uint8_t> out) {
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<uInt>(out.size());
    while (stream_.avail_out > 0) {
      if (stream_.avail_in == 0) {
        const auto size = std::min<uint64_t>(compressed_->size() - compressed_position_, kPiece);
        if (size == 0) return MakeError(label::npz_format, "compressed samples end early");
        RETURN_IF_ERROR(compressed_->Read(compressed_position_, {piece_.data(), static_cast<size_t>(size)}));
        compressed_position_ += size;
        stream_.next_in = piece_.data();
        stream_.avail_in = static_cast<uInt>(size);
      }
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_OK || (result == Z_STREAM_END && stream_.avail_out == 0)) continue;
      return MakeError(label::npz_format, "compressed samples are damaged");
    }
    position_ += out.size();
    return absl::OkStatus();
  }

  std::unique_ptr<StoredBytes> compressed_;
  uint64_t size_;
  uint64_t position_ = 0, compressed_position_ = 0;
  std::vector<uint8_t> piece_;
  z_stream stream_ = {};
  bool started_ = false;
};

}  // namespace

std::unique_ptr<StoredBytes> PlainBytes(std::shared_ptr<const InputFile> file, uint64_t first,
                                        uint64_t size) {
  return std::make_unique<Plain>(std::move(file), first, size);
}

std::unique_ptr<StoredBytes> DeflatedBytes(std::unique_ptr<StoredBytes> compressed, uint64_t size) {
  return std::make_unique<Deflated>(std::move(compressed), size);
}

}  // namespace tally::cli
