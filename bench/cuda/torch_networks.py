#!/usr/bin/env python3
"""ResNet-50 in fp16 by PyTorch and cuDNN, as context for Tally's 8 bits: another arithmetic, so no ratio is drawn.

    python3 bench/cuda/torch_networks.py [BATCH...]

Random weights, channels last, the algorithms that cuDNN finds fastest, one CUDA graph for a run, without torch.compile. `device
ms` is a run between two events; `wall ms` has copies of the images (8 bits, which the graph widens) and of the results besides,
on pinned memory. Prints one line of JSON for each batch, or why there is none.
"""

import json
import statistics
import sys
import time

RUNS = 30


def network(torch, torchvision):
    model = torchvision.models.resnet50(weights=None).eval().half().cuda()
    return model.to(memory_format=torch.channels_last)


def as_graph(torch, model, images):
    run = lambda: model((images.half() / 64).contiguous(memory_format=torch.channels_last))
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = run()
    return graph, results


def times(torch, model, batch):
    host = torch.randint(-128, 128, (batch, 3, 224, 224), dtype=torch.int8).pin_memory()
    images = host.cuda()
    graph, results = as_graph(torch, model, images)
    back = torch.empty(results.shape, dtype=results.dtype).pin_memory()
    device, wall = [], []
    for _ in range(RUNS):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        graph.replay()  # the next launch does not wait for the host
        start.record()
        graph.replay()
        end.record()
        end.synchronize()
        device.append(start.elapsed_time(end))
        begin = time.perf_counter()
        images.copy_(host, non_blocking=True)
        graph.replay()
        back.copy_(results, non_blocking=True)
        torch.cuda.synchronize()
        wall.append(1e3 * (time.perf_counter() - begin))
    return device, wall


def main():
    try:
        import torch
        import torchvision
    except ImportError as error:
        print(f"not installed: {error}")
        return
    if not torch.cuda.is_available():
        print("not installed: PyTorch sees no GPU")
        return
    torch.backends.cudnn.benchmark = True
    print(f"PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}, {torch.cuda.get_device_name(0)}")
    with torch.inference_mode():
        model = network(torch, torchvision)
        for batch in [int(a) for a in sys.argv[1:]] or [1, 8, 64]:
            row = {"work": "resnet50 fp16", "batch": batch}
            for name, ms in zip(("device_ms", "wall_ms"), times(torch, model, batch)):
                row[name] = {"min": min(ms), "median": statistics.median(ms)}
            row["items_per_second"] = 1e3 * batch / row["wall_ms"]["median"]
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
