// Keys, receipts and certificates.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "api/python/native/findings.h"
#include "api/python/native/functions.h"
#include "api/python/native/handle.h"
#include "api/python/native/tensors.h"

namespace tally::python {
namespace {

// 32 bytes, or nothing where the object is None. Throws Raised: TypeError, ValueError.
std::optional<Digest> DigestIn(PyObject* object) {
  if (object == Py_None) return std::nullopt;
  if (PyBytes_Check(object) == 0) Raise(PyExc_TypeError, "a digest is bytes");
  if (PyBytes_Size(object) != 32)
    Raise(PyExc_ValueError, "a digest has 32 bytes, not " + std::to_string(PyBytes_Size(object)));
  Digest digest;
  std::copy_n(PyBytes_AsString(object), digest.size(), digest.begin());
  return digest;
}

template <auto make>
Ref FromText(PyObject* args) {
  const char* text = nullptr;
  Py_ssize_t size = 0;
  Arguments(args, "s#", &text, &size);
  return HandleOf(make(std::string(text, static_cast<size_t>(size))));
}

template <typename T, std::string (T::*get)() const>
Ref TextOf(PyObject* args) {
  PyObject* object = nullptr;
  Arguments(args, "O", &object);
  return Text((In<T>(object).*get)());
}

Ref GenerateKey(PyObject* args) {
  Arguments(args, "");
  return HandleOf(Key::Generate());
}

Ref PublicOf(PyObject* args) {
  PyObject* key = nullptr;
  Arguments(args, "O", &key);
  return HandleOf(In<Key>(key).Public());
}

Ref KeyId(PyObject* args) {
  PyObject* key = nullptr;
  Arguments(args, "O", &key);
  return BytesOf(In<PublicKey>(key).Id());
}

Ref RunSigned(PyObject* args) {
  PyObject *plan = nullptr, *inputs = nullptr, *results = nullptr, *key = nullptr, *nonce = nullptr;
  int trace = 0;
  Arguments(args, "OOOOOp", &plan, &inputs, &results, &key, &nonce, &trace);
  const HeldTensors in(inputs, false), out(results, true);
  const std::optional<Digest> request = DigestIn(nonce);
  tally_receipt_options says = {};
  says.nonce = request ? request->data() : nullptr;
  says.trace = trace;
  const auto& made = In<Plan>(plan);
  const auto& signer = In<Key>(key);
  const auto run = [&] {
    const WithoutLock released;
    return made.RunSigned(in.get(), out.get(), signer, says);
  };
  return HandleOf(run());
}

Ref Recompute(PyObject* args) {
  PyObject *plan = nullptr, *receipt = nullptr, *inputs = nullptr;
  Arguments(args, "OOO", &plan, &receipt, &inputs);
  const HeldTensors in(inputs, false);
  const auto& made = In<Plan>(plan);
  const auto& claim = In<Receipt>(receipt);
  const auto run = [&] {
    const WithoutLock released;
    return claim.Recompute(made, in.get());
  };
  return About(run());
}

Ref ReceiptClaim(PyObject* args) {
  PyObject* receipt = nullptr;
  Arguments(args, "O", &receipt);
  const std::string claim = In<Receipt>(receipt).Claim();
  return Bytes(reinterpret_cast<const uint8_t*>(claim.data()), claim.size());
}

Ref ReceiptInfo(PyObject* args) {
  PyObject* receipt = nullptr;
  Arguments(args, "O", &receipt);
  const tally_receipt_info info = In<Receipt>(receipt).Info();
  const auto digest = [](int32_t has, const uint8_t* bytes) { return has == 1 ? Bytes(bytes, 32) : None(); };
  Dict about;
  about.Set("claim", Bytes(info.claim, 32));
  about.Set("module", Bytes(info.module, 32));
  about.Set("inputs", Bytes(info.inputs, 32));
  about.Set("results", digest(info.has_results, info.results));
  about.Set("key", Bytes(info.key, 32));
  about.Set("nonce", digest(info.has_nonce, info.nonce));
  about.Set("trace", digest(info.has_trace, info.trace));
  about.Set("origin", digest(info.has_origin, info.origin));
  about.Set("gas", Checked(PyLong_FromUnsignedLongLong(info.gas)));
  about.Set("issued_at", Checked(PyLong_FromUnsignedLongLong(info.issued_at)));
  about.Set("status", Text(info.status));
  return about.Take();
}

Ref Verify(PyObject* args) {
  PyObject *receipt = nullptr, *key = nullptr, *nonce = nullptr, *results = nullptr, *certificate = nullptr,
           *expansion = nullptr;
  Arguments(args, "OOOOOO", &receipt, &key, &nonce, &results, &certificate, &expansion);
  const std::optional<Digest> digests[] = {DigestIn(nonce), DigestIn(results), DigestIn(expansion)};
  const auto place = [&](int i) { return digests[i] ? &*digests[i] : nullptr; };
  Evidence given = {place(0), place(1), nullptr, place(2)};
  std::vector<uint8_t> file;
  if (certificate != Py_None) {
    const Memory memory(certificate, false);
    const auto* const data = static_cast<const uint8_t*>(memory.data());
    file.assign(data, data + memory.size());
    given.certificate = &file;
  }
  return About(In<Receipt>(receipt).Verify(In<PublicKey>(key), given));
}

Ref CheckCertificate(PyObject* args) {
  PyObject* certificate = nullptr;
  Arguments(args, "O", &certificate);
  const Memory memory(certificate, false);
  tally_verdict verdict = {};
  verdict.size = sizeof verdict;
  tally_check_certificate(static_cast<const uint8_t*>(memory.data()), memory.size(), &verdict);
  const auto digest = [](int32_t has, const uint8_t* bytes) { return has == 1 ? Bytes(bytes, 32) : None(); };
  Dict about;
  about.Set("convicted", Boolean(verdict.convicted == 1));
  about.Set("claim", Bytes(verdict.claim, 32));
  about.Set("trace", digest(verdict.has_trace, verdict.trace));
  about.Set("expansion", digest(verdict.has_columns, verdict.columns));
  about.Set("label", Text(verdict.label));
  about.Set("text", Text(verdict.text));
  return about.Take();
}

}  // namespace

const std::vector<PyMethodDef>& ReceiptFunctions() {
  static const std::vector<PyMethodDef> functions = {
      Method<GenerateKey>("generate_key"),
      Method<FromText<Key::FromPem>>("key_from_pem"),
      Method<TextOf<Key, &Key::Pem>>("key_pem"),
      Method<PublicOf>("public_of"),
      Method<FromText<PublicKey::FromPem>>("public_key_from_pem"),
      Method<TextOf<PublicKey, &PublicKey::Pem>>("public_key_pem"),
      Method<KeyId>("key_id"),
      Method<RunSigned>("run_signed"),
      Method<Recompute>("recompute"),
      Method<FromText<Receipt::Parse>>("parse_receipt"),
      Method<TextOf<Receipt, &Receipt::Text>>("receipt_text"),
      Method<ReceiptClaim>("receipt_claim"),
      Method<ReceiptInfo>("receipt_info"),
      Method<Verify>("verify"),
      Method<CheckCertificate>("check_certificate"),
  };
  return functions;
}

}  // namespace tally::python
