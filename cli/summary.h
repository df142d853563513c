// The report at the end of a command: for people a line for each fact, for machines one object.
//
//   Summary summary;
//   summary.Add("module", "module_id", ToHex(id));   // "module  5a4e..."
//   summary.Add("arena", "arena_bytes", 64, "bytes");  // "arena   64 bytes"
//   summary.Wrote(options.output, bytes.size());     // "wrote   a.tally, 812 bytes"
//   summary.Print(options.json, out);
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

#include "cli/json_output.h"
#include "vm/valid_module.h"

namespace tally::cli {

class Summary {
 public:
  // `name` is what people read, `key` what machines do; `unit` follows the value for people.
  void Add(std::string_view name, std::string_view key, Json value, std::string_view unit = "");
  // The same in words of its own for people.
  void Say(std::string_view name, std::string_view text, std::string_view key, Json value);
  // For machines alone.
  void AddForMachines(std::string_view key, Json value);
  // Something that looks wrong; of the list "warnings" its `key`.
  void Warn(std::string_view key, std::string_view text);
  // Its id, gas and arena.
  void AddModule(const ValidModule& module);
  // A share in [0, 1], for people in percent.
  void AddShare(std::string_view name, std::string_view key, double share, std::string_view what);
  // A file, as one more of the list "files".
  void Wrote(const std::string& path, size_t bytes);

  void Print(bool json, std::ostream& out) const;
  const Json& json() const { return json_; }

 private:
  Json json_ = Json::object();
  std::string text_;
};

}  // namespace tally::cli
