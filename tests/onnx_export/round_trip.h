// A module written as ONNX, read again by the exact importer, and both run on the reference engine.
#pragma once

#include <string>
#include <vector>

#include "base/tensor.h"
#include "third_party/onnx/onnx.pb.h"
#include "vm/valid_module.h"

namespace tally {

// The exporter's report on a module, and the runs of its model.
struct RoundTrip {
  std::string refused;   // by the exporter, with its reasons; nothing is run then
  std::string mismatch;  // why the model does not compute what the module does; empty where it does
  ::onnx::ModelProto model;
};

RoundTrip ExportAndImport(const ValidModule& module, const std::vector<Tensor>& inputs);

// Why a viewer or a runtime would stumble over `model`: a value without a declared type and shape, one that
// is defined twice or not at all, an operator of another domain. Empty where there is nothing.
std::string WhatIsUndeclared(const ::onnx::ModelProto& model);

}  // namespace tally
