// Prints a libFuzzer dictionary from the operator table: opcodes as the binary form spells them, the words of
// the text form, and those of CVM's graphs, which are quoted.
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <set>
#include <string>

#include "base/storage.h"
#include "ops/op_table.h"

namespace tally {
namespace {

// LEB128, as a string of \x escapes.
std::string Varint(uint64_t value) {
  std::string text;
  for (bool more = true; more; value >>= 7) {
    more = value >= 0x80;
    char escape[5];
    std::snprintf(escape, sizeof escape, "\\x%02x",
                  static_cast<unsigned>((value & 0x7f) | (more ? 0x80 : 0)));
    text += escape;
  }
  return text;
}

// A JSON string, as libFuzzer escapes it.
std::string Quoted(std::string_view word) { return "\\\"" + std::string(word) + "\\\""; }

void PrintDictionary() {
  std::set<std::string> entries = {R"(\x89tally\x0d\x0a)",
                                   "tally 1",
                                   "profile core",
                                   "profile cvm",
                                   "param %",
                                   "result %",
                                   "data ",
                                   " in [",
                                   " scale ",
                                   "*2^",
                                   " zero ",
                                   " hex {"};
  for (const Storage storage : kAllStorages) entries.insert(std::string(StorageName(storage)) + " [");
  for (const OpInfo& op : AllOps()) {
    entries.insert(Varint(static_cast<uint64_t>(op.code)));
    entries.insert("= " + std::string(op.name) + " ");
    if (op.profile == Profile::kCvm) entries.insert(Quoted(op.name));
    for (const AttrSpec& attribute : op.attributes) {
      entries.insert(std::string(attribute.name) + " = ");
      for (const std::string_view name : attribute.names) entries.emplace(name);
    }
  }
  for (const char* word : {"null", "cvm_op", "data", "argmax", "detection", "list_int", "list_str",
                           "list_shape", "cvm_1.0.0", "cvm_1.1.0"}) {
    entries.insert(Quoted(word));
  }
  for (const std::string& entry : entries) std::cout << '"' << entry << "\"\n";
}

}  // namespace
}  // namespace tally

int main() { tally::PrintDictionary(); }
