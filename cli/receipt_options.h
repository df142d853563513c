// What `run` signs, and with what.
#pragma once

#include <string>

namespace tally::cli {

struct ReceiptOptions {
  std::string path;    // empty: no receipt
  std::string key;     // private, in PEM
  std::string nonce;   // the request's: 64 hexadecimal digits, or none
  bool trace = false;  // the receipt names the trace of the run, too
};

}  // namespace tally::cli
