// Writes the seeds of fuzz/corpus/<target>/.
//
//   bazel run //fuzz:make_corpus -- $PWD/fuzz/corpus
//
// A few seeds reach every operator. For `decode` and `text_roundtrip` a seed is a module, named by the
// operators that it brings, and by a recipe; for the targets that draw modules from bytes it is those bytes.
// For `import_cvm` it is the two files of a model, named in the same way. `import_coreml`, `import_onnx`,
// `import_ncnn`, `import_openvino` and `quantize` begin with small models, `calibration` with what samples
// say of a network, `proof` with an object of each kind, `samples` with a file of each format, `server` with
// what each of its parsers reads, `c_api` with noise.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/npy.h"
#include "cli/samples/testing/encode_image.h"
#include "frontends/coreml/testing/sample_models.h"
#include "frontends/cvm/graph.h"
#include "frontends/cvm/operators.h"
#include "frontends/graph/testing/joined_files.h"
#include "frontends/ncnn/testing/sample_models.h"
#include "frontends/onnx/testing/sample_models.h"
#include "frontends/openvino/testing/sample_models.h"
#include "fuzz/generators/cvm_model.h"
#include "fuzz/generators/module_generator.h"
#include "fuzz/oracles/quantizer.h"
#include "proof/certificate/certificate.h"
#include "proof/dispute/messages.h"
#include "proof/receipt/bounds.h"
#include "proof/receipt/io_map.h"
#include "proof/receipt/origin.h"
#include "proof/receipt/receipt.h"
#include "proof/trace/trace.h"
#include "quant/calibrate/calibration_json.h"
#include "serializer/encode.h"
#include "serializer/module_id.h"
#include "serializer/program.h"
#include "vm/text/printer.h"

namespace tally {
namespace {

constexpr size_t kSeedBytes = 384;
constexpr size_t kMaxCvmSeedBytes = 4000;  // fuzz/run cuts at 4096
constexpr const char* kRecipe = "recipe";  // brought by a module with such a constant

std::set<std::string> OperatorsOf(const Module& module) {
  std::set<std::string> names;
  for (const Function& function : module.functions) {
    for (const Instruction& instruction : function.body) names.emplace(InfoOf(instruction.op).name);
  }
  if (!module.recipes.empty()) names.emplace(kRecipe);
  return names;
}

void Write(const std::filesystem::path& folder, const std::string& name, const std::vector<uint8_t>& bytes) {
  std::filesystem::create_directories(folder);
  std::ofstream stream(folder / name, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// Greedy cover: keeps the bytes whose module brings the most operators that no earlier seed has.
void MakeCorpus(const std::filesystem::path& root) {
  std::set<std::string> missing;
  for (const OpInfo& op : AllOps()) missing.emplace(op.name);
  missing.emplace(kRecipe);
  constexpr uint64_t kCandidates = 3000;
  for (size_t at_least = 6; at_least > 0; --at_least) {
    for (uint64_t seed = 0; seed < kCandidates; ++seed) {
      const std::vector<uint8_t> bytes = NoiseBytes(seed, kSeedBytes);
      EntropySource e(bytes);
      const Module module = GenerateModule(e, kSmallModules);
      std::string name(ProfileName(module.profile));
      size_t brings = 0;
      for (const std::string& op : OperatorsOf(module)) {
        if (missing.contains(op)) name += "_" + op, ++brings;
      }
      if (brings < at_least) continue;
      for (const std::string& op : OperatorsOf(module)) missing.erase(op);
      Write(root / "decode", name, Encode(module));
      const std::string text = Print(module);
      Write(root / "text_roundtrip", name, {text.begin(), text.end()});
      // In front: how many faults `validate` adds; for `execute` the part of the law that is tried, and no
      // fault.
      const auto write = [&](const char* target, std::vector<uint8_t> file) {
        file.insert(file.end(), bytes.begin(), bytes.end());
        Write(root / target, "noise_" + std::to_string(seed), file);
      };
      write("validate", {0});
      write("certificate", {});
      write("execute", {static_cast<uint8_t>(seed >> 8), static_cast<uint8_t>(seed), 0});
    }
  }
  for (const std::string& name : missing) std::cerr << "no seed brings " << name << "\n";
}

// The same cover of CVM's operators by models.
void MakeCvmCorpus(const std::filesystem::path& root) {
  std::set<Opcode> missing;
  for (const Opcode op : cvm::AllOperators()) missing.insert(op);
  constexpr uint64_t kCandidates = 2000;
  for (size_t at_least = 4; at_least > 0; --at_least) {
    for (uint64_t seed = 0; seed < kCandidates; ++seed) {
      const std::vector<uint8_t> bytes = NoiseBytes(seed, kSeedBytes);
      EntropySource e(bytes);
      CvmModel model = GenerateCvmModel(e, kSmallModules);
      std::set<Opcode> brings;
      std::string name = "cvm";
      const cvm::Graph graph = *cvm::ParseGraph(model.graph);
      for (const cvm::Node& node : graph.nodes) {
        if (!node.op || !missing.contains(*node.op) || !brings.insert(*node.op).second) continue;
        name += "_" + std::string(InfoOf(*node.op).name);
      }
      RespellCvmModel(e, model);
      if (brings.size() < at_least || model.graph.size() + model.params.size() > kMaxCvmSeedBytes) continue;
      for (const Opcode op : brings) missing.erase(op);
      std::vector<uint8_t> files(model.graph.begin(), model.graph.end());
      files.push_back(0);
      files.insert(files.end(), model.params.begin(), model.params.end());
      Write(root / "import_cvm", name, files);
    }
  }
  for (const Opcode op : missing) std::cerr << "no model brings " << InfoOf(op).name << "\n";
}

void MakeQuantizerCorpus(const std::filesystem::path& root) {
  for (const auto& [name, model] : onnx::SampleModels()) {
    for (const char* target : {"import_onnx", "quantize"}) Write(root / target, name, model.Bytes());
  }
  for (const auto& [name, bytes] : coreml::SampleModels()) Write(root / "import_coreml", name, bytes);
  for (const auto& [name, model] : ncnn::SampleModels()) {
    Write(root / "import_ncnn", name, frontend::JoinFiles(model.param(), model.weights()));
  }
  for (const auto& [name, model] : openvino::SampleModels()) {
    Write(root / "import_openvino", name, frontend::JoinFiles(model.xml(), model.weights()));
  }
  for (const uint64_t seed : {1, 2, 3}) {
    const std::vector<uint8_t> bytes = NoiseBytes(seed, kSeedBytes);
    EntropySource e(bytes);
    const std::string text = quant::ToJson(**CalibrateOnDraws(e, CalibratedNetwork()));
    Write(root / "calibration", "samples_" + std::to_string(seed), {text.begin(), text.end()});
  }
}

// In front of each object the byte that says which it is.
void MakeProofCorpus(const std::filesystem::path& root) {
  const auto write = [&](const std::string& name, uint8_t kind, const auto& object) {
    std::vector<uint8_t> bytes = {kind};
    bytes.insert(bytes.end(), object.begin(), object.end());
    Write(root / "proof", name, bytes);
  };
  const Digest digests[] = {{1}, {2}};
  write("io_map", 0, EncodeIoMap(digests));
  write("bounds", 1,
        EncodeBounds(
            {.gas = 4000,
             .arena_bytes = 64,
             .functions = {{{{-9, 300}, {{*Shape::Create({2, 3}), {-1, 1}}, {Shape(), {0, 70000}}}}}, {}}}));
  write("trace", 5, EncodeTraceFile({{1}, {{{}, 3, {2}}, {{{4, 0}, {1, 70000}}, 1, {3}}}}));
  const Origin origin = {{1}, "tally quantize", "1", {Digest{2}}, Digest{3}};
  const std::string origin_text = ToJson(origin);
  write("origin", 6, origin_text);
  Module module;
  module.functions.emplace_back();
  write("program", 7, EncodeProgram(module, ConstantDigests(module), MetadataDigest(module)));
  const Claim ran = {.gas = 4000, .results = Digest{3}, .limit = {}};
  Certificate certificate;
  certificate.claim = ran;
  certificate.charge = Charge::kElement;
  certificate.accused = {ValueKind::kEntry, 1};
  certificate.trace = {.count = 3, .root = {1}, .opened = {{1, {{{4, 0}}, 1, {3}}}}, .siblings = {{2}}};
  certificate.columns = {
      .entry = 1, .element = 2, .columns = {.count = 1, .root = {4}, .opened = {{0, {5}}}, .siblings = {}}};
  certificate.values = {
      {{ValueKind::kColumn, 0}, {.count = 1, .root = {6}, .opened = {{0, {7, 8}}}, .siblings = {}}}};
  certificate.recipes = {{2, {9}}};
  write("certificate", 8, EncodeCertificate(certificate));
  write("dispute_opening", 9, EncodeDisputeOpening({ran, {{1}}, {{2}}, 3, {4}}));
  write("query", 10, EncodeQuery({Subject::kValue, {16, 256}}));
  write("answer", 11, EncodeAnswer({.roots = {{1}, {2}}, .columns = 3, .leaf = {4}, .header = {5}}));
  const Claim refused = {.gas = 0, .status = "gas_limit", .results = {}, .limit = 3999};
  for (const Claim& claim : {ran, refused}) {
    const ReceiptCore core = {.claim = ClaimId(claim), .nonce = claim.results, .issued_at = 1 << 30};
    write("claim_" + claim.status, 2, EncodeClaim(claim));
    write("core_" + claim.status, 3, EncodeReceiptCore(core));
    write("receipt_" + claim.status, 4, ToJson({claim, core, {}}));
  }
}

void MakeSamplesCorpus(const std::filesystem::path& root) {
  const auto write_text = [&](const std::string& name, std::string_view text) {
    Write(root / "samples", name, {text.begin(), text.end()});
  };
  for (const auto& [name, type] :
       {std::pair("f4", NpyType::kFloat32), {"f8", NpyType::kFloat64}, {"i1", NpyType::kInt8}}) {
    const std::vector<uint8_t> elements(static_cast<size_t>(12 * NpyTypeSize(type)), 0x3c);
    Write(root / "samples", std::string("array_") + name, *EncodeNpy({type, {3, 2, 2}, elements}));
  }
  std::vector<uint8_t> pixels;
  for (uint8_t i = 0; i < 60; ++i) pixels.push_back(static_cast<uint8_t>(4 * i));
  Write(root / "samples", "png_rgb", cli::Png(PNG_FORMAT_RGB, 5, 4, pixels.data()));
  Write(root / "samples", "png_gray", cli::Png(PNG_FORMAT_GRAY, 6, 10, pixels.data()));
  Write(root / "samples", "jpeg", cli::Jpeg(JCS_RGB, 3, 5, 4, pixels));
  Write(root / "samples", "jpeg_progressive", cli::Jpeg(JCS_GRAYSCALE, 1, 6, 10, pixels, true));
  // Mono, 8,000 frames a second, 16 bits, ten of them.
  using namespace std::string_view_literals;
  write_text("wav",
             "RIFF\x38\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0"
             "data\x14\0\0\0\0\x10\0\x20\0\x30\0\x40\0\x50\0\xf0\0\xe0\0\xd0\0\xc0\0\xb0"sv);
  write_text("json_lists", "[1, 2, 3]\n\n[[4], [5.5]]\n");
  write_text("json_names", "{\"x\": [1, 2], \"mask\": [1, 1]}\n{\"x\": [3], \"mask\": [1]}\n");
}

// In front of each text the byte that says which parser gets it.
void MakeServerCorpus(const std::filesystem::path& root) {
  const auto write = [&](const std::string& name, uint8_t kind, std::string_view text) {
    std::vector<uint8_t> bytes = {kind};
    bytes.insert(bytes.end(), text.begin(), text.end());
    Write(root / "server", name, bytes);
  };
  const std::string binary =
      R"({"inputs":[{"name":"x","shape":[2],"datatype":"INT8","parameters":{"binary_data_size":2}}]})";
  write("json", 0,
        R"({"id":"1","parameters":{"receipt":"io","nonce":")" + std::string(64, 'a') +
            R"(","timeout":9},"inputs":[{"name":"x","shape":[2],"datatype":"FP32","data":[0.5,[1]]}],)"
            R"("outputs":[{"name":"y","parameters":{"binary_data":true}}]})");
  write("json_and_bytes", 1, static_cast<char>(binary.size()) + binary + "ab");
  // A model's name, and the input x, of INT8, in contents.
  write("message", 2,
        std::string("\x0a\x01m\x2a\x13\x0a\x01x\x12\x04INT8\x1a\x01\x02\x2a\x04\x12\x02\x01\x02", 26));
  write("path_of_model", 3, "G/models/m/versions/1/ready\n");
  write("path_of_inference", 3,
        "P/models/m/infer\n" +
            std::string(R"({"inputs":[{"name":"x","shape":[2],"datatype":"INT8","data":[1,2]}]})"));
  write("path_of_dispute", 3, "P/disputes/" + std::string(64, 'b') + "/1\nquery");
  write("config", 4, R"({"engine":"reference","threads":2,"gas_limit":7,"cache":false,"deadline_ms":5})");
  write("tokens", 5, std::string(64, 'c') + " infer,audit client\n");
  write("url", 5, "https://[::1]:8000/tally/");
}

// Calls of the C interface are draws: any bytes do.
void MakeApiCorpus(const std::filesystem::path& root) {
  for (uint64_t seed = 0; seed < 24; ++seed) {
    Write(root / "c_api", "noise_" + std::to_string(seed), NoiseBytes(seed, kSeedBytes));
  }
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " FOLDER\n";
    return 2;
  }
  tally::MakeCorpus(argv[1]);
  tally::MakeCvmCorpus(argv[1]);
  tally::MakeQuantizerCorpus(argv[1]);
  tally::MakeProofCorpus(argv[1]);
  tally::MakeSamplesCorpus(argv[1]);
  tally::MakeServerCorpus(argv[1]);
  tally::MakeApiCorpus(argv[1]);
}
