#include "cli/samples/npz.h"

#include <algorithm>
#include <span>
#include <unordered_set>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"

namespace tally::cli {
namespace {

constexpr uint32_t kLocalHeader = 0x04034b50, kEntry = 0x02014b50, kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                   kLocator64 = 0x07064b50;
constexpr size_t kLocalHeaderBytes = 30, kEntryBytes = 46, kEndBytes = 22, kEnd64Bytes = 56,
                 kLocator64Bytes = 20;
constexpr uint64_t kMaxMembers = 4096, kMaxDirectoryBytes = 1 << 22;
constexpr uint32_t kIn64Bits = 0xffffffff;  // the number is too large for its field and is elsewhere

absl::Status Bad(std::string_view why) {
  return MakeError(label::npz_format, absl::StrCat("the .npz file ", ToAbsl(why)));
}

using Bytes = std::span<const uint8_t>;

// `bytes` little-endian bytes at `at`, which are within.
uint64_t Number(Bytes x, size_t at, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = bytes; i-- > 0;) value = value << 8 | x[at + i];
  return value;
}

class Directory {
 public:
  explicit Directory(const std::shared_ptr<const InputFile>& file)
      : bytes_(PlainBytes(file, 0, file->size())) {}

  absl::StatusOr<std::vector<NpzMember>> List() {
    RETURN_IF_ERROR(Find());
    if (count_ > kMaxMembers || size_ > kMaxDirectoryBytes) return Bad("has too many members");
    ASSIGN_OR_RETURN(const std::vector<uint8_t> entries, Read(first_, size_));
    Bytes rest = entries;
    std::vector<NpzMember> members;
    std::unordered_set<std::string> names;
    for (uint64_t i = 0; i < count_; ++i) {
      ASSIGN_OR_RETURN(NpzMember member, Next(rest));
      if (!names.insert(member.name).second) return Bad(absl::StrCat("has two members '", member.name, "'"));
      members.push_back(std::move(member));
    }
    return members;
  }

 private:
  absl::StatusOr<std::vector<uint8_t>> Read(uint64_t offset, uint64_t size) {
    if (offset > bytes_->size() || size > bytes_->size() - offset)
      return Bad("is truncated or not an .npz file");
    std::vector<uint8_t> bytes(static_cast<size_t>(size));
    RETURN_IF_ERROR(bytes_->Read(offset, bytes));
    return bytes;
  }

  // Where the entries are, by the record at the end.
  absl::Status Find() {
    if (bytes_->size() < kEndBytes) return Bad("is truncated or not an .npz file");
    const uint64_t tail_size = std::min<uint64_t>(bytes_->size(), kEndBytes + 65535);  // the longest comment
    const uint64_t tail_first = bytes_->size() - tail_size;
    ASSIGN_OR_RETURN(const std::vector<uint8_t> tail, Read(tail_first, tail_size));
    size_t end = tail.size() - kEndBytes;
    while (Number(tail, end, 4) != kEnd) {
      if (end-- == 0) return Bad("is truncated or not an .npz file");
    }
    count_ = Number(tail, end + 10, 2);
    size_ = Number(tail, end + 12, 4);
    first_ = Number(tail, end + 16, 4);
    if (first_ != kIn64Bits && size_ != kIn64Bits && count_ != 0xffff) return absl::OkStatus();
    if (tail_first + end < kLocator64Bytes) return Bad("is truncated or not an .npz file");
    ASSIGN_OR_RETURN(const std::vector<uint8_t> locator,
                     Read(tail_first + end - kLocator64Bytes, kLocator64Bytes));
    if (Number(locator, 0, 4) != kLocator64) return absl::OkStatus();
    ASSIGN_OR_RETURN(const std::vector<uint8_t> end64, Read(Number(locator, 8, 8), kEnd64Bytes));
    if (Number(end64, 0, 4) != kEnd64) return Bad("is damaged");
    count_ = Number(end64, 32, 8);
    size_ = Number(end64, 40, 8);
    first_ = Number(end64, 48, 8);
    return absl::OkStatus();
  }

  // Takes an entry off the front of `rest`.
  absl::StatusOr<NpzMember> Next(Bytes& rest) {
    if (rest.size() < kEntryBytes || Number(rest, 0, 4) != kEntry) return Bad("is damaged");
    const size_t name_size = Number(rest, 28, 2), extra_size = Number(rest, 30, 2),
                 size = kEntryBytes + name_size + extra_size + Number(rest, 32, 2);
    if (rest.size() < size) return Bad("is damaged");
    const uint64_t flags = Number(rest, 8, 2), method = Number(rest, 10, 2);
    if ((flags & 1) != 0) return Bad("is encrypted");
    if (method != 0 && method != 8) return Bad("is compressed by another method than deflate");
    NpzMember member = {.deflated = method == 8,
                        .first = Number(rest, 42, 4),
                        .stored_size = Number(rest, 20, 4),
                        .size = Number(rest, 24, 4)};
    member.name.assign(rest.begin() + kEntryBytes,
                       rest.begin() + static_cast<ptrdiff_t>(kEntryBytes + name_size));
    if (member.name.ends_with(".npy")) member.name.resize(member.name.size() - 4);
    RETURN_IF_ERROR(Widen(rest.subspan(kEntryBytes + name_size, extra_size), member));
    rest = rest.subspan(size);

    // The member follows a header of its own, whose extra fields differ from those of the entry.
    ASSIGN_OR_RETURN(const std::vector<uint8_t> header, Read(member.first, kLocalHeaderBytes));
    if (Number(header, 0, 4) != kLocalHeader) return Bad("is damaged");
    member.first += kLocalHeaderBytes + Number(header, 26, 2) + Number(header, 28, 2);
    if (member.first > bytes_->size() || member.stored_size > bytes_->size() - member.first)
      return Bad("ends early");
    if (!member.deflated && member.size != member.stored_size) return Bad("is damaged");
    return member;
  }

  // Numbers of 64 bits, where those of 32 do not do.
  static absl::Status Widen(Bytes extra, NpzMember& member) {
    while (extra.size() >= 4) {
      const uint64_t id = Number(extra, 0, 2), size = Number(extra, 2, 2);
      extra = extra.subspan(4);
      if (size > extra.size()) return Bad("is damaged");
      Bytes field = extra.first(size);
      extra = extra.subspan(size);
      if (id != 1) continue;
      for (uint64_t* number : {&member.size, &member.stored_size, &member.first}) {
        if (*number != kIn64Bits) continue;
        if (field.size() < 8) return Bad("is damaged");
        *number = Number(field, 0, 8);
        field = field.subspan(8);
      }
    }
    return absl::OkStatus();
  }

  std::unique_ptr<StoredBytes> bytes_;
  uint64_t first_ = 0, size_ = 0, count_ = 0;  // for the entries
};

}  // namespace

absl::StatusOr<bool> IsNpz(const std::shared_ptr<const InputFile>& file) {
  uint8_t start[4] = {};
  if (file->size() < sizeof start) return false;
  RETURN_IF_ERROR(PlainBytes(file, 0, file->size())->Read(0, start));
  const uint64_t magic = Number(start, 0, 4);
  return magic == kLocalHeader || magic == kEnd;
}

absl::StatusOr<std::vector<NpzMember>> ListNpz(const std::shared_ptr<const InputFile>& file) {
  return Directory(file).List();
}

std::unique_ptr<StoredBytes> OpenMember(const std::shared_ptr<const InputFile>& file,
                                        const NpzMember& member) {
  auto stored = PlainBytes(file, member.first, member.stored_size);
  return member.deflated ? DeflatedBytes(std::move(stored), member.size) : std::move(stored);
}

}  // namespace tally::cli
