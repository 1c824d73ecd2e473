"""Theoretical windows: response functions of the literature, and Monte Carlo of the equations.

Windows are in segments. A response function is the mean window at a probability p that a packet is
lost, each independently of the others (Bernoulli). The closed forms assume a loss every 1/p packets
exactly; with independent losses the spacing is geometric and the mean window is larger (for Reno by
7 %, Ott, Kemperman and Mathis, 1996), so a Monte Carlo of the same equations is a better yardstick.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


def reno(p: float, segments_an_ack: float = 1) -> float:
    """sqrt(3/(2 b p)); 1.22/sqrt(p) for b = 1 (Mathis et al., CCR 27(3), 1997; RFC 3649)."""
    return math.sqrt(1.5 / (segments_an_ack * p))


def highspeed(p: float) -> float:
    """0.12/p^0.835, Reno's above p = 0.0015 (RFC 3649, section 5, equation for S = -0.835)."""
    return max(0.12 / float(p**0.835), reno(p)) if p < 0.0015 else reno(p)


def scalable(p: float, a: float, b: float) -> float:
    """a/(b p) (1 - b/2) of multiplicative growth (Kelly, CCR 33(2), 2003), Reno's if larger."""
    return max(a / p * (1 / b - 0.5), reno(p))


def cubic(p: float, rtt: float, c: float = 0.4, beta: float = 0.7) -> float:
    """RFC 9438, section 5.1, with the Reno-friendly region of section 4.3."""
    concave = float((c * (3 + beta) / (4 * (1 - beta))) ** 0.25 * (rtt / p) ** 0.75)
    alpha = 3 * (1 - beta) / (1 + beta)
    return max(concave, math.sqrt(alpha * (1 + beta) / (2 * (1 - beta) * p)))


def compound(p: float) -> float:
    """0.255/p^0.8, Reno's where that is larger (Tan et al., INFOCOM 2006, section III)."""
    return max(0.255 / float(p**0.8), reno(p))


def dctcp_queue(threshold: float, flows: int, bdp: float) -> tuple[float, float]:
    """Least and largest queue in packets (Alizadeh et al., SIGCOMM 2010, equations 5 to 9)."""
    largest = threshold + flows
    swing = 0.5 * math.sqrt(2 * flows * (bdp + threshold))
    return max(0.0, largest - swing), largest


@dataclass(frozen=True)
class Aimd:
    """Growth in segments a round trip and decrease at a loss, as functions of the window."""

    growth: Callable[[float], float]
    decrease: Callable[[float], float]


def _highspeed_decrease(w: float) -> float:
    position = math.log(max(w, 38) / 38) / math.log(83000 / 38)
    return 0.5 - 0.4 * position


def _highspeed_growth(w: float) -> float:
    if w <= 38:
        return 1
    b = _highspeed_decrease(w)
    return float(w * w * 0.078 / w**1.2 * 2 * b / (2 - b))


def _always(value: float) -> Callable[[float], float]:
    return lambda _: value


RENO = Aimd(_always(1), _always(0.5))
RENO_DELAYED = Aimd(_always(0.5), _always(0.5))
HIGHSPEED = Aimd(_highspeed_growth, _highspeed_decrease)
SCALABLE = Aimd(lambda w: max(1, w / 50), _always(0.125))  # ns-3's AIFactor 50, MDFactor 1/8


def monte_carlo(equations: Aimd, p: float, rounds: int = 200_000, seed: int = 1) -> float:
    """Mean window over round trips of w packets each.

    The loss is noticed a round trip after it happened: what is lost of the w packets after it
    belongs to the same event.
    """
    random = np.random.default_rng(seed)
    window, total = reno(p), 0.0
    until_loss = float(random.geometric(p))
    for _ in range(rounds):
        total += window
        until_loss -= window
        if until_loss > 0:
            window += equations.growth(window)
            continue
        until_loss += window + random.geometric(p)
        window = max(2.0, window * (1 - equations.decrease(window)))
    return total / rounds


def monte_carlo_cubic(p: float, rtt: float, rounds: int = 200_000, seed: int = 1) -> float:
    """RFC 9438's equations 1, 2 and 4 with fast convergence, as above; ns-3's defaults."""
    random = np.random.default_rng(seed)
    c, beta = 0.4, 0.7
    alpha = 3 * (1 - beta) / (1 + beta)
    window = friendly = w_max = cubic(p, rtt)
    since, k, total = 0.0, 0.0, 0.0
    until_loss = float(random.geometric(p))
    for _ in range(rounds):
        total += window
        until_loss -= window
        since += rtt
        if until_loss > 0:
            friendly += alpha
            target = c * (since - k) ** 3 + w_max
            window = max(window, friendly, min(target, 1.5 * window))
            continue
        until_loss += window + random.geometric(p)
        w_max = window * (1 + beta) / 2 if window < w_max else window
        window = max(2.0, window * beta)
        friendly, since = window, 0.0
        k = float(np.cbrt(max(0.0, w_max - window) / c))
    return total / rounds


def monte_carlo_compound(p: float, rounds: int = 200_000, seed: int = 1) -> float:
    """Tan's rules without a queue: dwnd += alpha win^k - 1 a round trip from 38 segments on."""
    random = np.random.default_rng(seed)
    loss_window, delay_window, total = reno(p), 0.0, 0.0
    until_loss = float(random.geometric(p))
    for _ in range(rounds):
        window = loss_window + delay_window
        total += window
        until_loss -= window
        if until_loss > 0:
            loss_window += 1
            if window >= 38:
                delay_window += max(0.125 * window**0.75 - 1, 0)
            continue
        until_loss += window + random.geometric(p)
        delay_window = max(window / 2 - loss_window / 2, 0)
        loss_window = max(2.0, loss_window / 2)
    return total / rounds
