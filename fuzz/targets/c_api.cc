// Calls of the C interface in drawn orders, with drawn handles, structs and tensors: each ends with what it
// was asked for or a labelled error, closed handles are told from open ones, and a run writes its results
// and nothing else.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "api/c/tally.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "base/tensor.h"
#include "fuzz/generators/entropy_source.h"
#include "fuzz/targets/check.h"
#include "serializer/encode.h"
#include "vm/text/assembler.h"

namespace tally {
namespace {

constexpr int kCalls = 60;
constexpr size_t kMemory = 512;

// y = -x.
std::vector<uint8_t> ModuleBytes() {
  static const std::vector<uint8_t> bytes =
      Encode(*Assemble("tally 1\nprofile core\nparam %0 \"x\" [2,3] in [-100, 100]\n%1 = negative %0\n"
                       "result %1 \"y\"\n"));
  return bytes;
}

// A tensor in `memory`, with where its elements are, as far as it is one.
struct DrawnTensor {
  tally_tensor c = {};
  std::array<int64_t, 2> shape = {2, 3}, strides = {};

  int64_t At(int64_t i) const {
    return static_cast<int64_t>(c.offset) + i / 3 * strides[0] + i % 3 * strides[1];
  }
};

class Caller {
 public:
  explicit Caller(EntropySource& draws) : e_(draws) {}
  ~Caller() {
    for (const auto& [handle, kind] : open_) Close(kind, handle);
  }

  absl::Status Run() {
    for (int i = 0; i < kCalls && !e_.exhausted(); ++i) RETURN_IF_ERROR(OneCall());
    return absl::OkStatus();
  }

 private:
  enum Kind { kModule, kPlan, kCancellation };

  absl::Status OneCall() {
    error_ = {};
    error_.size = sizeof error_;
    switch (e_.Between(0, 9)) {
      case 0: return LoadModule();
      case 1: return MakePlan();
      case 2: return MakeCancellation();
      case 3: return CloseOne();
      case 4: return Describe();
      case 5: return Cancel();
      default: return RunPlan();
    }
  }

  // A handle of this kind, mostly, and open, mostly.
  uint64_t AnyHandle(Kind kind) {
    std::vector<uint64_t> likely = handles_;
    if (!e_.OneIn(8)) std::erase_if(likely, [&](uint64_t handle) { return !IsOpen(handle, kind); });
    if (likely.empty() || e_.OneIn(20))
      return static_cast<uint64_t>(e_.Between(0, 5)) << 32 | static_cast<uint64_t>(e_.Between(0, 5));
    return e_.PickFrom(likely);
  }
  bool IsOpen(uint64_t handle, Kind kind) const {
    const auto found = open_.find(handle);
    return found != open_.end() && found->second == kind;
  }

  // The laws that hold after each call. `handle_is_open`: of the object that the call is about.
  absl::Status Holds(tally_status status, bool handle_is_open) const {
    if (status != error_.status) return Broken("the status is not that of the error");
    const std::string label = error_.label;
    if ((status == TALLY_OK) != label.empty()) return Broken("an error has no label");
    if (label == "api_exception") return Broken("an exception");
    if (!handle_is_open && label != "api_handle") return Broken("a handle of nothing is taken");
    return absl::OkStatus();
  }
  absl::Status Broken(const std::string& what) const {
    return absl::InternalError(absl::StrCat(what, ": ", error_.label, ": ", error_.message));
  }
  absl::Status Made(tally_status status, uint64_t handle, Kind kind) {
    if ((status == TALLY_OK) != (handle != 0)) return Broken("a handle and an error");
    if (handle == 0) return absl::OkStatus();
    if (open_.contains(handle)) return Broken("a handle that somebody has");
    open_[handle] = kind;
    handles_.push_back(handle);
    return absl::OkStatus();
  }

  absl::Status LoadModule() {
    std::vector<uint8_t> bytes = ModuleBytes();
    tally_load_options options = {};
    options.size =
        static_cast<size_t>(e_.Pick<int64_t>({sizeof options, sizeof options, sizeof options, 0, 8}));
    options.gas_limit = e_.Pick<int64_t>({0, 0, 0, 1, -1, 1'000'000});
    if (e_.OneIn(4)) bytes.resize(static_cast<size_t>(e_.Between(0, std::ssize(bytes))));
    if (!bytes.empty() && e_.OneIn(8)) bytes[static_cast<size_t>(e_.Between(0, std::ssize(bytes) - 1))] ^= 1;
    tally_module module = {1};
    const tally_status status =
        tally_module_load_bytes(bytes.data(), bytes.size(), &options, &module, &error_);
    RETURN_IF_ERROR(Holds(status, true));
    if (status == TALLY_OK && bytes != ModuleBytes()) {  // another module, of which nothing is known
      return tally_module_close(module) == TALLY_OK ? absl::OkStatus() : Broken("a module is not closed");
    }
    return Made(status, module.handle, kModule);
  }

  absl::Status MakePlan() {
    const uint64_t handle = AnyHandle(kModule);
    tally_plan_options options = {};
    options.size = sizeof options;
    options.engine = e_.Pick<const char*>({nullptr, "cpu", "reference", "formal", "none"});
    options.threads = static_cast<int32_t>(e_.Between(-1, 3));
    options.memory_limit = e_.Pick<int64_t>({0, 0, 1, 1 << 20});
    tally_plan plan = {};
    const tally_status status = tally_plan_make({handle}, &options, &plan, &error_);
    RETURN_IF_ERROR(Holds(status, IsOpen(handle, kModule)));
    return Made(status, plan.handle, kPlan);
  }

  absl::Status MakeCancellation() {
    tally_cancellation cancellation = {};
    const tally_status status = tally_cancellation_make(&cancellation, &error_);
    RETURN_IF_ERROR(Holds(status, true));
    return Made(status, cancellation.handle, kCancellation);
  }

  static tally_status Close(Kind kind, uint64_t handle) {
    switch (kind) {
      case kModule: return tally_module_close({handle});
      case kPlan: return tally_plan_close({handle});
      case kCancellation: break;
    }
    return tally_cancellation_close({handle});
  }
  absl::Status CloseOne() {
    const Kind kind = e_.Pick({kModule, kPlan, kCancellation});
    const uint64_t handle = AnyHandle(kind);
    const bool is_open = IsOpen(handle, kind);
    if ((Close(kind, handle) == TALLY_OK) != (is_open || handle == 0))
      return Broken("a wrong handle is closed");
    if (is_open) open_.erase(handle);
    cancelled_.erase(handle);
    return absl::OkStatus();
  }

  absl::Status Describe() {
    const uint64_t handle = AnyHandle(kModule);
    tally_value_info info = {};
    info.size = sizeof info;
    const auto index = static_cast<size_t>(e_.Between(0, 2));
    const tally_status status = tally_module_param({handle}, index, &info, &error_);
    RETURN_IF_ERROR(Holds(status, IsOpen(handle, kModule)));
    return status == TALLY_OK && index > 0 ? Broken("a parameter that is not there") : absl::OkStatus();
  }

  absl::Status Cancel() {
    const uint64_t handle = AnyHandle(kCancellation);
    const tally_status status = tally_cancel({handle}, &error_);
    if (status == TALLY_OK) cancelled_[handle] = true;
    return Holds(status, IsOpen(handle, kCancellation));
  }

  DrawnTensor Draw(bool is_result) {
    DrawnTensor t;
    t.c.data = memory_.data();
    t.c.storage = static_cast<int32_t>(e_.Between(0, is_result ? 3 : 4));
    const int64_t element = int64_t{1} << std::clamp(t.c.storage, 0, 3);
    t.strides = {3 * element, element};
    if (e_.OneIn(2)) {
      for (int64_t& stride : t.strides) stride = e_.Between(-40, 40);
    }
    t.c.bytes = kMemory;
    t.c.offset = static_cast<size_t>(e_.Between(0, kMemory));
    t.c.rank = 2;
    return t;
  }

  absl::Status RunPlan() {
    const uint64_t handle = AnyHandle(kPlan);
    DrawnTensor x = Draw(false), y = Draw(true);
    for (DrawnTensor* t : {&x, &y}) {
      t->c.shape = t->shape.data();
      t->c.strides = t->strides.data();
    }
    // Small elements, in narrow and in wide storages.
    const std::vector<uint8_t> noise = NoiseBytes(static_cast<uint64_t>(e_.Between(0, 255)), kMemory);
    const size_t apart = e_.Pick<size_t>({1, 8});
    for (size_t i = 0; i < kMemory; ++i) memory_[i] = i % apart == 0 ? noise[i] & 3 : 0;
    tally_run_options options = {};
    options.size = sizeof options;
    if (e_.OneIn(4)) options.cancellation.handle = AnyHandle(kCancellation);
    options.gas_limit = e_.Pick<int64_t>({0, 0, 0, 1});
    const std::vector<uint8_t> before(memory_.begin(), memory_.end());
    const tally_status status = tally_plan_run({handle}, &x.c, 1, &y.c, 1, &options, &error_);
    const uint64_t cancellation = options.cancellation.handle;
    const bool found = IsOpen(handle, kPlan) && (cancellation == 0 || IsOpen(cancellation, kCancellation));
    RETURN_IF_ERROR(Holds(status, found));
    if (status == TALLY_OK && cancelled_.contains(cancellation)) return Broken("a cancelled run has run");
    std::vector<uint8_t> after = before;
    if (status == TALLY_OK) {
      for (int64_t i = 0; i < 6; ++i) {
        const int64_t value = LoadElement(static_cast<Storage>(x.c.storage), before.data() + x.At(i), 0);
        StoreElement(static_cast<Storage>(y.c.storage), after.data() + y.At(i), 0, -value);
      }
    }
    if (std::ranges::equal(memory_, after)) return absl::OkStatus();
    return Broken(status == TALLY_OK ? "other bytes than the results" : "a refused run has written");
  }

  EntropySource& e_;
  tally_error error_ = {};
  std::map<uint64_t, Kind> open_;
  std::map<uint64_t, bool> cancelled_;
  std::vector<uint64_t> handles_;  // open or not
  std::array<uint8_t, kMemory> memory_ = {};
};

}  // namespace
}  // namespace tally

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tally::EntropySource draws({data, size});
  tally::Check(tally::Caller(draws).Run());
  return 0;
}
