// Labels of the server (docs/guides/serve.md#refusals).
#pragma once

#include "base/error.h"

namespace tally::label {

TALLY_LABEL(request, InvalidArgument, request_form,
            "a request is not of the form that the protocol gives it");
TALLY_LABEL(request, InvalidArgument, request_tensor,
            "a tensor of a request has a name, a datatype, a shape or a size that the model does not take");
TALLY_LABEL(request, ResourceExhausted, request_size, "a request has more bytes than the server takes");
TALLY_LABEL(request, NotFound, request_path, "the server has nothing at this path");
TALLY_LABEL(request, Unimplemented, request_method, "what is at this path does not take this method");
TALLY_LABEL(request, DeadlineExceeded, request_deadline, "a request was not answered before its deadline");
TALLY_LABEL(request, NotFound, model_unknown, "the server has no model of this name and version");
TALLY_LABEL(request, Unavailable, model_unready, "a model is being loaded, or was unloaded");
TALLY_LABEL(file, InvalidArgument, model_config,
            "the configuration of a model is not of the form that is read");
TALLY_LABEL(request, ResourceExhausted, queue_full, "as many requests for a model wait as its queue holds");
TALLY_LABEL(request, Unavailable, server_ends, "the server is ending, and takes no new requests");
TALLY_LABEL(request, Unauthenticated, access_token,
            "a request has no bearer token, or one that is not known");
TALLY_LABEL(request, PermissionDenied, access_scope, "a bearer token does not allow a request");
TALLY_LABEL(request, ResourceExhausted, access_rate, "a client makes more requests in a second than it may");
TALLY_LABEL(file, InvalidArgument, access_file, "a file of tokens has a line of another form");
TALLY_LABEL(request, FailedPrecondition, receipts_off,
            "the server has no key that it could sign receipts with");
TALLY_LABEL(file, FailedPrecondition, key_mode, "others than its owner may read the file of a private key");
TALLY_LABEL(fault, Unavailable, key_token, "a token does not sign, or has no such key");
TALLY_LABEL(request, NotFound, receipt_unknown, "the store has no receipt of this claim");
TALLY_LABEL(request, NotFound, dispute_unknown, "there is no dispute of this id");
TALLY_LABEL(request, Unavailable, server_unreachable, "a server does not answer");
TALLY_LABEL(request, InvalidArgument, chain_account,
            "a private key or an address of a chain has another form");
TALLY_LABEL(request, Unavailable, chain_node,
            "a node of a chain answers with an error, or with what is no answer");
TALLY_LABEL(request, FailedPrecondition, chain_refused,
            "a contract refuses a transaction, by a label of its own");
TALLY_LABEL(file, Unavailable, server_store, "the store of a server does not answer, or has failed");
TALLY_LABEL(file, FailedPrecondition, server_address, "a server cannot listen at an address");

}  // namespace tally::label
