// Labels of the example.
#pragma once

#include "base/error.h"

namespace tally::label {

TALLY_LABEL(file, InvalidArgument, digits_data, "a data file does not have what it should");
TALLY_LABEL(fault, Internal, demo_engines, "two engines gave different bytes");
TALLY_LABEL(fault, Internal, demo_accuracy, "the accuracy is below what the example promises");
TALLY_LABEL(fault, Internal, demo_dispute, "a dispute did not end as it has to");
TALLY_LABEL(fault, Internal, demo_receipt, "a receipt was not what it has to be");

}  // namespace tally::label
