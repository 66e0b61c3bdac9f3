/* SPDX-License-Identifier: GPL-2.0-or-later
 * A hash of bytes and texts. */
#include "base/hash.h"

#include <string.h>

void oak_hash_start(oak_hash_t *hash) {
  hash->a = 0xcbf29ce484222325u;
  hash->b = 0x9e3779b97f4a7c15u;
}

void oak_hash_bytes(oak_hash_t *hash, const void *bytes, size_t count) {
  const unsigned char *byte = bytes;
  uint64_t a = hash->a, b = hash->b;
  for (size_t i = 0; i < count; i++) {
    a = (a ^ byte[i]) * 0x100000001b3u; /* FNV-1a */
    b ^= byte[i] * 0xc2b2ae3d27d4eb4fu; /* independent of a: multiply, rotate, multiply */
    b = ((b << 27) | (b >> 37)) * 0x9e3779b185ebca87u + 0x165667b19e3779f9u;
  }
  hash->a = a;
  hash->b = b;
}

void oak_hash_text(oak_hash_t *hash, const char *text) {
  uint64_t length = strlen(text);
  oak_hash_bytes(hash, &length, sizeof length);
  oak_hash_bytes(hash, text, length);
}

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
  return x ^ (x >> 33);
}

void oak_hash_hex(const oak_hash_t *hash, char hex[33]) {
  const uint64_t half[2] = {mix(hash->a), mix(hash->b)};
  for (int i = 0; i < 32; i++)
    hex[i] = "0123456789abcdef"[half[i / 16] >> (60 - 4 * (i % 16)) & 15];
  hex[32] = '\0';
}
