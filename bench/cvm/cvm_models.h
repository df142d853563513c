// The networks that are measured in CVM's format, with the gas that cvm-runtime asks for each.
#pragma once

#include <array>
#include <string_view>

#include "bench/cvm/cnn_to_cvm.h"
#include "bench/models/mobilenet_v1.h"
#include "bench/models/model_options.h"
#include "bench/models/residual_networks.h"

namespace tally::bench {

struct CvmNetwork {
  std::string_view name;
  Cnn (*build)(const ModelOptions& options);
  int64_t gas;  // for the whole network, batch 1; computed by cvm-runtime itself
};

inline constexpr std::array kCvmNetworks = {
    CvmNetwork{"resnet50", ResNet50, 11'953'038'568},
    CvmNetwork{"mobilenet_v1", MobileNetV1, 1'818'920'680},
};

}  // namespace tally::bench
