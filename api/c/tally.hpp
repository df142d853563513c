// libtally in C++17: tally.h with objects that close themselves and errors that are exceptions.
//
//   const tally::Module module = tally::Module::FromFile("digits.tally");
//   const tally::Plan plan(module, {.threads = 2});         // designated from C++20 on
//   std::vector<int8_t> image(256);
//   std::vector<int16_t> scores(10);
//   plan.Run({tally::Dense(image)}, {tally::Dense(scores)});
//   std::cout << tally::Hex(module.Id()) << "\n";
//
// Everything that tally.h says holds: of threads, fork, and memory. Each function throws tally::Error where
// the one that it calls fails. Objects may be moved, not copied; one that was moved from is null.
#ifndef TALLY_HPP_
#define TALLY_HPP_

#include <array>
#include <cmath>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tally.h"

namespace tally {
inline namespace v1 {

using Digest = std::array<uint8_t, 32>;

class Error : public std::exception {
 public:
  explicit Error(const tally_error& error) : error_(error) {}
  const char* what() const noexcept override { return error_.message; }
  const char* label() const noexcept { return error_.label; }
  const char* stage() const noexcept { return error_.stage; }
  tally_status status() const noexcept { return error_.status; }

 private:
  tally_error error_;
};

namespace internal {

// A struct of tally.h that knows its size.
template <typename Struct>
Struct Sized() {
  Struct value = {};
  value.size = sizeof value;
  return value;
}

// Calls function(arguments..., &error).
template <typename Function, typename... Arguments>
void Call(Function function, Arguments... arguments) {
  tally_error error = Sized<tally_error>();
  if (function(arguments..., &error) != TALLY_OK) throw Error(error);
}

// A handle that is closed once.
template <typename Handle, tally_status (*close)(Handle)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() { close(handle_); }

  Handle get() const { return handle_; }
  Handle* place() { return &handle_; }

 private:
  Handle handle_ = {};
};

template <typename Handle, tally_status (*text_of)(Handle, char*, size_t, size_t*, tally_error*)>
std::string TextOf(Handle handle) {
  std::string text(size_t{1} << 16, '\0');
  size_t size = 0;
  Call(text_of, handle, text.data(), text.size(), &size);
  text.resize(size);
  return text;
}

}  // namespace internal

inline std::string Hex(const Digest& digest) {
  std::string text;
  for (const uint8_t byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

// A dense tensor over the elements of a vector, in the shape of its parameter or result, or in `shape`, which
// outlives it.
template <typename Element>
tally_tensor Dense(std::vector<Element>& elements) {
  static_assert(std::is_integral<Element>::value && std::is_signed<Element>::value, "int8_t to int64_t");
  tally_tensor tensor = {};
  tensor.data = elements.data();
  tensor.bytes = elements.size() * sizeof(Element);
  tensor.storage = sizeof(Element) == 1   ? TALLY_I8
                   : sizeof(Element) == 2 ? TALLY_I16
                   : sizeof(Element) == 4 ? TALLY_I32
                                          : TALLY_I64;
  return tensor;
}
template <typename Element>
tally_tensor Dense(std::vector<Element>& elements, const std::vector<int64_t>& shape) {
  tally_tensor tensor = Dense(elements);
  tensor.rank = static_cast<int32_t>(shape.size());
  tensor.shape = shape.data();
  return tensor;
}

// As `tally run` prints it. The tensor has a shape.
inline Digest DigestOf(const tally_tensor& tensor) {
  Digest digest;
  internal::Call(tally_tensor_digest, &tensor, digest.data());
  return digest;
}

// The real of an integer on the grid of a value.
inline double ToReal(const tally_value_info& value, int64_t integer) {
  return std::ldexp(static_cast<double>(integer - value.zero_point) * static_cast<double>(value.multiplier),
                    static_cast<int>(-value.shift));
}

class Module {
 public:
  static Module FromFile(const std::string& path,
                         tally_load_options options = internal::Sized<tally_load_options>()) {
    Module module;
    options.size = sizeof options;
    internal::Call(tally_module_load_file, path.c_str(), &options, module.owned_.place());
    return module;
  }
  static Module FromBytes(const std::vector<uint8_t>& bytes,
                          tally_load_options options = internal::Sized<tally_load_options>()) {
    Module module;
    options.size = sizeof options;
    internal::Call(tally_module_load_bytes, static_cast<const void*>(bytes.data()), bytes.size(), &options,
                   module.owned_.place());
    return module;
  }

  tally_module get() const { return owned_.get(); }

  Digest Id() const {
    Digest id;
    internal::Call(tally_module_id, get(), id.data());
    return id;
  }
  tally_module_info Info() const {
    tally_module_info info = internal::Sized<tally_module_info>();
    internal::Call(tally_module_get_info, get(), &info);
    return info;
  }
  // The digest of results at hand, as claims have it.
  Digest ResultsDigest(const std::vector<tally_tensor>& results) const {
    Digest digest;
    internal::Call(tally_module_results_digest, get(), results.data(), results.size(), digest.data());
    return digest;
  }
  tally_value_info Param(size_t index) const { return Value(tally_module_param, index); }
  tally_value_info Result(size_t index) const { return Value(tally_module_result, index); }

 private:
  Module() = default;
  template <typename Function>
  tally_value_info Value(Function function, size_t index) const {
    tally_value_info info = internal::Sized<tally_value_info>();
    internal::Call(function, get(), index, &info);
    return info;
  }

  internal::Owned<tally_module, tally_module_close> owned_;
};

// Ends runs that have it in their options, from any thread.
class Cancellation {
 public:
  Cancellation() { internal::Call(tally_cancellation_make, owned_.place()); }
  void Cancel() const { internal::Call(tally_cancel, owned_.get()); }
  tally_cancellation get() const { return owned_.get(); }

 private:
  internal::Owned<tally_cancellation, tally_cancellation_close> owned_;
};

class PublicKey {
 public:
  static PublicKey FromPem(const std::string& pem) {
    PublicKey key;
    internal::Call(tally_public_key_from_pem, pem.data(), pem.size(), key.owned_.place());
    return key;
  }
  std::string Pem() const { return internal::TextOf<tally_public_key, tally_public_key_pem>(get()); }
  Digest Id() const {
    Digest id;
    internal::Call(tally_public_key_id, get(), id.data());
    return id;
  }
  tally_public_key get() const { return owned_.get(); }

 private:
  friend class Key;
  PublicKey() = default;
  internal::Owned<tally_public_key, tally_public_key_close> owned_;
};

class Key {
 public:
  static Key Generate() {
    Key key;
    internal::Call(tally_key_generate, key.owned_.place());
    return key;
  }
  static Key FromPem(const std::string& pem) {
    Key key;
    internal::Call(tally_key_from_pem, pem.data(), pem.size(), key.owned_.place());
    return key;
  }
  std::string Pem() const { return internal::TextOf<tally_key, tally_key_pem>(get()); }
  PublicKey Public() const {
    PublicKey key;
    internal::Call(tally_key_public, get(), key.owned_.place());
    return key;
  }
  tally_key get() const { return owned_.get(); }

 private:
  Key() = default;
  internal::Owned<tally_key, tally_key_close> owned_;
};

class Plan;

// Evidence beside the key; null: it is not at hand.
struct Evidence {
  const Digest* nonce = nullptr;                      // the request's
  const Digest* results = nullptr;                    // ResultsDigest of those at hand
  const std::vector<uint8_t>* certificate = nullptr;  // a file that is said to convict the receipt
  const Digest* expansion = nullptr;                  // digest of the one that the executor has sent
};

class Receipt {
 public:
  static Receipt Parse(const std::string& text) {
    Receipt receipt;
    internal::Call(tally_receipt_parse, text.data(), text.size(), receipt.owned_.place());
    return receipt;
  }
  tally_receipt get() const { return owned_.get(); }
  std::string Text() const { return internal::TextOf<tally_receipt, tally_receipt_text>(owned_.get()); }
  tally_receipt_info Info() const {
    tally_receipt_info info = internal::Sized<tally_receipt_info>();
    internal::Call(tally_receipt_get_info, owned_.get(), &info);
    return info;
  }
  // The bytes of the claim.
  std::string Claim() const {
    std::string claim(256, '\0');
    size_t size = 0;
    internal::Call(tally_receipt_claim, owned_.get(), static_cast<void*>(claim.data()), claim.size(), &size);
    claim.resize(size);
    return claim;
  }
  // Signature, digests, request, certificate.
  tally_finding Verify(const PublicKey& key, const Evidence& given = {}) const {
    const auto place = [](const Digest* digest) { return digest == nullptr ? nullptr : digest->data(); };
    tally_evidence evidence = internal::Sized<tally_evidence>();
    evidence.key = key.get();
    evidence.nonce = place(given.nonce);
    evidence.results = place(given.results);
    evidence.expansion = place(given.expansion);
    static constexpr uint8_t kEmpty = 0;
    if (given.certificate != nullptr) {
      evidence.certificate = given.certificate->empty() ? &kEmpty : given.certificate->data();
      evidence.certificate_size = given.certificate->size();
    }
    tally_finding finding = internal::Sized<tally_finding>();
    internal::Call(tally_receipt_verify, owned_.get(), static_cast<const tally_evidence*>(&evidence),
                   &finding);
    return finding;
  }
  // Runs it again.
  tally_finding Recompute(const Plan& plan, const std::vector<tally_tensor>& inputs) const;

 private:
  friend class Plan;
  Receipt() = default;
  internal::Owned<tally_receipt, tally_receipt_close> owned_;
};

class Plan {
 public:
  explicit Plan(const Module& module, tally_plan_options options = internal::Sized<tally_plan_options>()) {
    options.size = sizeof options;
    internal::Call(tally_plan_make, module.get(), static_cast<const tally_plan_options*>(&options),
                   owned_.place());
  }

  tally_plan get() const { return owned_.get(); }
  tally_plan_info Info() const {
    tally_plan_info info = internal::Sized<tally_plan_info>();
    internal::Call(tally_plan_get_info, get(), &info);
    return info;
  }

  void Run(const std::vector<tally_tensor>& inputs, const std::vector<tally_tensor>& results,
           tally_run_options options = internal::Sized<tally_run_options>()) const {
    options.size = sizeof options;
    internal::Call(tally_plan_run, get(), inputs.data(), inputs.size(), results.data(), results.size(),
                   static_cast<const tally_run_options*>(&options));
  }
  // The receipt of a run that takes place. See tally_plan_run_signed for those of refusals.
  Receipt RunSigned(const std::vector<tally_tensor>& inputs, const std::vector<tally_tensor>& results,
                    const Key& key,
                    tally_receipt_options says = internal::Sized<tally_receipt_options>()) const {
    says.size = sizeof says;
    Receipt receipt;
    internal::Call(tally_plan_run_signed, get(), inputs.data(), inputs.size(), results.data(), results.size(),
                   static_cast<const tally_run_options*>(nullptr), key.get(),
                   static_cast<const tally_receipt_options*>(&says), receipt.owned_.place());
    return receipt;
  }

 private:
  internal::Owned<tally_plan, tally_plan_close> owned_;
};

inline tally_finding Receipt::Recompute(const Plan& plan, const std::vector<tally_tensor>& inputs) const {
  tally_finding finding = internal::Sized<tally_finding>();
  internal::Call(tally_receipt_recompute, owned_.get(), plan.get(), inputs.data(), inputs.size(),
                 static_cast<const tally_run_options*>(nullptr), &finding);
  return finding;
}

// Audits receipts; see tally_auditor. `get` and `user` outlive it.
class Auditor {
 public:
  explicit Auditor(tally_auditor_options options) {
    options.size = sizeof options;
    internal::Call(tally_auditor_make, static_cast<const tally_auditor_options*>(&options), owned_.place());
  }

  // The standing, and the run. Null for `key`: signatures are not checked.
  std::pair<tally_finding, tally_finding> Audit(const Receipt& receipt, const PublicKey* key) const {
    tally_evidence evidence = internal::Sized<tally_evidence>();
    if (key != nullptr) evidence.key = key->get();
    tally_finding standing = internal::Sized<tally_finding>(), run = internal::Sized<tally_finding>();
    internal::Call(tally_audit, owned_.get(), receipt.get(), static_cast<const tally_evidence*>(&evidence),
                   &standing, &run);
    return {standing, run};
  }

  // The finding on a claim, and the trace of its run if `traced` and there is one.
  std::pair<tally_finding, std::optional<Digest>> AuditClaim(const std::string& claim, bool traced) const {
    tally_finding run = internal::Sized<tally_finding>();
    Digest trace = {};
    int32_t has_trace = 0;
    internal::Call(tally_audit_claim, owned_.get(), static_cast<const void*>(claim.data()), claim.size(),
                   int32_t{traced}, &run, trace.data(), &has_trace);
    return {run, has_trace == 1 ? std::optional(trace) : std::nullopt};
  }

 private:
  internal::Owned<tally_auditor, tally_auditor_close> owned_;
};

}  // namespace v1
}  // namespace tally

#endif
