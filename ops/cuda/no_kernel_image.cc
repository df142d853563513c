#include "ops/cuda/kernel_image.h"

namespace tally::cuda {

KernelImage EmbeddedKernelImage() { return {}; }

}  // namespace tally::cuda
