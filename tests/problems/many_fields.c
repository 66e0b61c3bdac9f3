/* SPDX-License-Identifier: GPL-2.0-or-later
 * As many fields as there may be, and a velocity on faces that reads all of them. */
TITLE("fields on both sides of faces")
#define PHYSICS_NVAR 1
VARIABLES("density")
PRIMITIVES("density")
#define PHYSICS_NORMAL(d) (-1)

#define EACH(X) X(a) X(b) X(c) X(d) X(e) X(f) X(g) X(h) X(i) X(j) X(k) X(l) X(m) X(n) X(o) X(p)
FIELD(a, at) { return at->x[0]; }
FIELD(b, at) { return at->x[0]; }
FIELD(c, at) { return at->x[0]; }
FIELD(d, at) { return at->x[0]; }
FIELD(e, at) { return at->x[0]; }
FIELD(f, at) { return at->x[0]; }
FIELD(g, at) { return at->x[0]; }
FIELD(h, at) { return at->x[0]; }
FIELD(i, at) { return at->x[0]; }
FIELD(j, at) { return at->x[0]; }
FIELD(k, at) { return at->x[0]; }
FIELD(l, at) { return at->x[0]; }
FIELD(m, at) { return at->x[0]; }
FIELD(n, at) { return at->x[0]; }
FIELD(o, at) { return at->x[0]; }
FIELD(p, at) { return at->x[0]; }

FACE_FIELD(velocity, at) {
  real sum = 0;
#define ADD(name) sum += at->left.name + at->right.name;
  EACH(ADD)
  return at->dir == 0 ? sum / 32 : 0;
}

TO_PRIMITIVE(ph, q) {}
TO_CONSERVED(ph, u) {}
FLUX(ph, q, dir, f) { f[0] = ph->face.velocity * q[0]; }
WAVE_SPEEDS(ph, ql, qr, dir, smin, smax) { *smin = *smax = ph->face.velocity; }
VALID(ph, u) { return u[0] > 0; }
