#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The errors of tests/verify/cases/linear_waves.c a second time, by a program that shares nothing with oak.

The equations of gas dynamics, linear about a uniform state, for small plane waves: a limited reconstruction of the
primitive variables, the exact Riemann solver of the linear equations, and a Runge-Kutta scheme. The waves are so weak
that this is what a nonlinear code computes, up to their amplitude. Prints the error over the amplitude, defined as in
the case.

usage: linear_wave_reference.py [CELLS]    cells along x on the finest mesh (128)"""
import sys

import numpy as np

GAMMA = 5 / 3


def vanleer(a, b):
    with np.errstate(divide="ignore", invalid="ignore"):
        half = np.where(a * b > 0, a * b / (a + b), 0)
    return half, half


def koren(a, b):
    """B. Koren 1993: third order where smooth."""
    def side(far, near):
        with np.errstate(divide="ignore", invalid="ignore"):
            phi = np.maximum(0, np.minimum(np.minimum(2 * far / near, (1 + 2 * far / near) / 3), 2))
        return np.where(near == 0, 0, 0.5 * phi * near)
    return side(a, b), side(b, a)


def slopes(limiter, w, axis):
    """Distances of the values at the lower and upper face of each cell from its mean."""
    a, b = w - np.roll(w, 1, axis), np.roll(w, -1, axis) - w
    return limiter(a, b)


def jacobian(dim, d, u):
    """Of the primitive equations, about density 1, sound speed 1 and the velocity u."""
    A = u[d] * np.eye(dim + 2)
    A[0, 1 + d] = 1
    A[1 + d, dim + 1] = 1
    A[dim + 1, 1 + d] = 1  # gamma p = 1
    return A


def absolute(A):
    values, vectors = np.linalg.eig(A)
    return (vectors @ np.diag(abs(values)) @ np.linalg.inv(vectors)).real


def rates(w, dx, A, upwind, limiter):
    out = np.zeros_like(w)
    for d in range(w.ndim - 1):
        low, high = slopes(limiter, w, 1 + d)
        left, right = w + high, np.roll(w - low, -1, 1 + d)  # of the upper face
        flux = 0.5 * (np.tensordot(A[d], left + right, 1) - np.tensordot(upwind[d], right - left, 1))
        out -= (flux - np.roll(flux, 1, 1 + d)) / dx
    return out


def advance(w, dt, scheme, rate):
    if scheme == "heun":
        first = w + dt * rate(w)
        return 0.5 * (w + first + dt * rate(first))
    first = w + dt * rate(w)  # SSPRK(3,3)
    second = 0.75 * w + 0.25 * (first + dt * rate(first))
    return w / 3 + 2 / 3 * (second + dt * rate(second))


def error(dim, wave, limiter, scheme, cells, cfl=0.5):
    """The error after one period, over the amplitude."""
    dx = (5**0.5 if dim == 2 else 3) / cells
    n = np.array([1, 2]) / 5**0.5 if dim == 2 else np.array([1, 2, 2]) / 3
    shape = [cells] + [cells // 2] * (dim - 1)
    x = np.meshgrid(*[(np.arange(m) + 0.5) * dx for m in shape], indexing="ij")
    a = np.cos(2 * np.pi * sum(n[d] * x[d] for d in range(dim)))
    u = 0 * n if wave == "sound" else n
    r = np.zeros(dim + 2)
    if wave == "sound":
        r[0], r[1:-1], r[-1] = 1, n, 1
    elif wave == "entropy":
        r[0] = 1
    else:
        r[1], r[2] = -n[1] / np.hypot(n[0], n[1]), n[0] / np.hypot(n[0], n[1])
    start = r.reshape([-1] + [1] * dim) * a
    A = [jacobian(dim, d, u) for d in range(dim)]
    upwind = [absolute(m) for m in A]
    w, t, step = start, 0, cfl * dx / sum(abs(u[d]) + 1 for d in range(dim))
    while t < 1 - 1e-12:
        dt = min(step, 1 - t)
        w, t = advance(w, dt, scheme, lambda w: rates(w, dx, A, upwind, limiter)), t + dt
    change = w - start
    conserved = [change[0]] + [change[1 + d] + u[d] * change[0] for d in range(dim)]
    energy = change[-1] / (GAMMA - 1) + sum(u[d] * change[1 + d] for d in range(dim)) + 0.5 * (u @ u) * change[0]
    return sum(abs(c).mean() ** 2 for c in [*conserved, energy]) ** 0.5


def main():
    cells = int(sys.argv[1]) if len(sys.argv) > 1 else 128
    for dim, limiter, scheme in ((2, vanleer, "heun"), (2, koren, "ssprk33"), (3, vanleer, "heun")):
        for wave in ("sound", "entropy", "shear"):
            n = cells if dim == 2 else cells // 2
            print(f"{dim}D, {limiter.__name__}, {n} cells, {wave}: {error(dim, wave, limiter, scheme, n):.4e}", flush=True)


if __name__ == "__main__":
    main()
