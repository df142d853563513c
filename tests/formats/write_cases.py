#!/usr/bin/env python3
"""Writes the cases of all formats as JSON, by definitions that share nothing with the importers.

    write_cases.py COREML.tsv NCNN.tsv NHWC.tsv OPENVINO.tsv > FILE

Each case has the files of a model, inputs, what the outputs are, and the status of its row in docs/coverage.
"""
import json
import pathlib
import sys

import coreml_cases
import ncnn_cases
import nhwc_cases
import openvino_cases


# Layers that round more than once, by a bias or as several of the graph: by how many units of 8 bits.
COMPOSED = {
    "coreml": {
        **dict.fromkeys(["batchnorm", "embedding", "embeddingND", "preprocessing.meanImage", "randomNormalDynamic", "randomNormalLike",
                         "randomNormalStatic", "randomUniformDynamic", "randomUniformLike", "randomUniformStatic", "scale"], 0.01),
        **dict.fromkeys(["BoxCoordinatesMode.CORNERS_HEIGHT_FIRST", "BoxCoordinatesMode.CORNERS_WIDTH_FIRST", "cropResize"], 0.03),
        **dict.fromkeys(["unary", "unary.INVERSE"], 0.032), "unary.RSQRT": 0.005,
        **dict.fromkeys(["add", "average", "dot", "dot[cosineSimilarity]", "mvn", "pooling", "pooling.L2", "preprocessing.scaler", "reduce.L1", "reduceL1",
                         "reduceLogSumExp", "reduceSumSquare", "scatter", "scatterAlongAxis", "scatterND", "ScatterMode.SCATTER_DIV",
                         "ScatterMode.SCATTER_MUL", "activation.PReLU"], 0.5),
        **dict.fromkeys(["activation", "activation.parametricSoftplus", "reduce", "reduce.L2", "reduce.LOGSUM", "reduce.SUMSQUARE", "reduceL2", "reduceProd",
                         "simpleRecurrent", "upsample", "upsample.BILINEAR.ALIGN_CORNERS_TRUE"], 1),
        **dict.fromkeys(["biDirectionalLSTM", "gru", "NonMaximumSuppression"], 2), "uniDirectionalLSTM": 3},
    "ncnn": {
        "BatchNorm": 0.01, "GRU": 0.02, "Log": 0.01, "LRN": 2, "LSTM": 0.04, "MultiHeadAttention": 2, "MVN": 1, "Normalize": 1, "PReLU": 0.5,
        "Reduction": 3, "RNN": 0.02, "Scale": 0.01, "Swish": 0.5},
    "nhwc": {"BatchNormalization": 0.01, "LRN": 2, "PRelu": 0.5},
    "openvino": {
        "AdaptiveAvgPool": 1, "BatchNormInference": 0.01, "BinaryConvolution": 1, "DeformablePSROIPooling": 0.02, "DetectionOutput": 0.5,
        "EmbeddingBagPackedSum": 1, "FakeQuantize without 0": 0.1, "GRUCell": 0.04, "GRUSequence": 3, "Log": 0.01, "LRN": 2, "LSTMCell": 0.02,
        "LSTMSequence": 3, "MVN": 1, "PReLU": 0.5, "Proposal": 2, "ReduceL1": 1, "ReduceL2": 1, "ReduceProd": 2, "RegionYolo": 0.5,
        "RNNCell": 0.02, "RNNSequence": 0.5, "SquaredDifference": 2, "Swish": 0.5, "TensorIterator": 1}}


def statuses(path):
    """{row: status}"""
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()[1:]
    return {row[0]: row[2] for row in (line.split("\t") for line in lines)}


def entry(form, name, status, files, inputs, outputs):
    arrays = {key: [{"shape": a.shape, "data": a.data} for a in some] for key, some in (("inputs", inputs), ("outputs", outputs))}
    return {"format": form, "name": name, "status": status, "composed": COMPOSED[form].get(name, 0), **files, **arrays}


def main(coreml_tsv, ncnn_tsv, nhwc_tsv, openvino_tsv):
    rows = statuses(coreml_tsv)
    cases = [entry("coreml", name, rows[name], {"model": model.hex(), "weights": ""}, inputs, outputs)
             for name, model, inputs, outputs in coreml_cases.cases()]
    rows = statuses(ncnn_tsv)
    cases += [entry("ncnn", name, rows[name], {"model": param.encode().hex(), "weights": weights.hex()}, inputs, outputs)
             for name, (param, weights), inputs, outputs in ncnn_cases.cases()]
    rows = statuses(nhwc_tsv)
    cases += [entry("nhwc", name, rows[name], {"model": model.hex(), "weights": ""}, inputs, outputs)
              for name, model, inputs, outputs in nhwc_cases.cases()]
    rows = statuses(openvino_tsv)
    cases += [entry("openvino", name, rows.get(name, "not in the document"), {"model": xml.encode().hex(), "weights": weights.hex()}, inputs, outputs)
              for name, (xml, weights), inputs, outputs in openvino_cases.cases()]
    json.dump(cases, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
