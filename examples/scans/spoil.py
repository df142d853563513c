"""What a bad scan does to a clean character: less contrast, an uneven background, noise, specks, a stray line."""

import numpy as np


def spoiled(random, clean):
    """`clean`: uint8 [H, W], white on black. Returns (what is scanned, which pixels are ink), both uint8; `random` is a RandomState."""
    height, width = clean.shape
    y, x = np.mgrid[0:height, 0:width]
    background, ink = random.uniform(0.0, 0.35), random.uniform(0.55, 1.0)
    page = background + random.uniform(-0.15, 0.15) * (y / height - 0.5) + random.uniform(-0.15, 0.15) * (x / width - 0.5)
    page = page + (ink - background) * (clean / 255.0)
    slope, offset = random.uniform(-0.3, 0.3), random.uniform(0, height)
    page = np.where(np.abs(y - slope * x - offset) < 0.5, np.maximum(page, random.uniform(0.3, 0.8)), page)
    page = page + random.normal(0, random.uniform(0.05, 0.25), clean.shape)
    specks = random.uniform(size=clean.shape)
    page = np.where(specks < 0.02, 0.0, np.where(specks > 0.98, 1.0, page))
    return np.round(np.clip(page, 0, 1) * 255).astype(np.uint8), (clean >= 128).astype(np.uint8)


def spoiled_all(random, images):
    """[N, 1, H, W] -> ([N, 1, H, W], [N, H, W])."""
    pairs = [spoiled(random, image[0]) for image in images]
    return np.stack([scan for scan, _ in pairs])[:, None], np.stack([ink for _, ink in pairs])
