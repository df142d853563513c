"""Ed25519 signatures as RFC 8032, section 5.1, defines them: slow, and from the text alone."""

import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def sha512(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


def x_of(y, sign):
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT_OF_MINUS_ONE % P
    return x if x % 2 == sign else P - x


def add(p, q):
    """The sum of two points of the twisted Edwards curve, in affine coordinates."""
    (a, b), (c, d) = p, q
    k = D * a * b * c * d % P
    return (a * d + b * c) * pow(1 + k, -1, P) % P, (b * d + a * c) * pow(1 - k, -1, P) % P


def multiply(n, point):
    total = (0, 1)
    while n > 0:
        if n & 1:
            total = add(total, point)
        point, n = add(point, point), n >> 1
    return total


BASE_Y = 4 * pow(5, -1, P) % P
BASE = (x_of(BASE_Y, 0), BASE_Y)


def encoded(point):
    x, y = point
    return (y | (x & 1) << 255).to_bytes(32, "little")


def secrets(seed):
    """The scalar and the prefix of a seed of 32 bytes."""
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little")
    return scalar & ((1 << 254) - 8) | 1 << 254, digest[32:]


def public_key(seed):
    return encoded(multiply(secrets(seed)[0], BASE))


def sign(seed, message):
    scalar, prefix = secrets(seed)
    r = sha512(prefix, message) % ORDER
    point = encoded(multiply(r, BASE))
    k = sha512(point, public_key(seed), message) % ORDER
    return point + ((r + k * scalar) % ORDER).to_bytes(32, "little")
