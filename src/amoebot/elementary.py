"""Elementary functions by plain arithmetic: the same bits on every machine.

What a machine's own library returns differs in the last bit from one library to another, and a
run is to be the same everywhere. The logarithm is that of FDLIBM (Sun Microsystems, 1993), where
the coefficients come from.
"""

from __future__ import annotations

import numpy as np

from amoebot.jit import compilable, compiled

_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_INVERSE_LN2 = 1.44269504088896338700
_L1, _L2, _L3 = 6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01
_L4, _L5 = 2.222219843214978396e-01, 1.818357216161805012e-01
_L6, _L7 = 1.531383769920937332e-01, 1.479819860511658591e-01
_SQRT2 = 1.41421356237309504880

_EXPONENT, _BIAS, _MANTISSA, _ONE = 52, 1023, (1 << 52) - 1, 1023 << 52

#: Terms of the series of the exponential function: more do not change its last bit.
_TERMS = 18

#: Below this exponent the result is zero, as far as times of activations can tell.
_LEAST = -700.0


@compiled
def log(x: float) -> float:
    """Return the natural logarithm of a positive number that is not subnormal."""
    bits = np.int64(np.float64(x).view(np.int64))
    exponent = (bits >> _EXPONENT) - _BIAS
    mantissa = np.float64(np.int64((bits & _MANTISSA) | _ONE).view(np.float64))
    if mantissa > _SQRT2:
        mantissa *= 0.5
        exponent += 1
    f = mantissa - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    odd = z * (_L1 + w * (_L3 + w * (_L5 + w * _L7)))
    even = w * (_L2 + w * (_L4 + w * _L6))
    half = 0.5 * f * f
    return exponent * _LN2_HIGH - ((half - (s * (half + odd + even) + exponent * _LN2_LOW)) - f)


@compiled
def exp(x: float) -> float:
    """Return e to the power of a number that is not positive."""
    if x < _LEAST:
        return 0.0
    halvings = np.int64(0.5 - x * _INVERSE_LN2)
    rest = (x + halvings * _LN2_HIGH) + halvings * _LN2_LOW
    total = 1.0
    for term in range(_TERMS, 0, -1):
        total = 1.0 + total * rest / term
    return total * np.float64(np.int64((_BIAS - halvings) << _EXPONENT).view(np.float64))


@compilable
def isqrt(number: int) -> int:
    """Return the whole part of a square root."""
    root = int(np.sqrt(number))
    while root * root > number:
        root -= 1
    while (root + 1) * (root + 1) <= number:
        root += 1
    return root
