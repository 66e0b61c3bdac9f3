/* SPDX-License-Identifier: GPL-2.0-or-later
 * A hash of bytes and texts. */
#include "base/hash.h"

#include <string.h>

void oak_hash_start(oak_hash_t *hash) {
  hash->a = 0xcbf29ce484222325u;
  hash->b = 0x9e3779b97f4a7c15u;
}

static uint64_t turn(uint64_t x, int bits) { return (x << bits) | (x >> (64 - bits)); }

/* Both halves take 8 bytes in a step, in two ways that are independent of each other. */
static void add_word(oak_hash_t *hash, uint64_t word) {
  hash->a = (turn(hash->a, 29) ^ word) * 0xff51afd7ed558ccdu;
  hash->b ^= word * 0xc2b2ae3d27d4eb4fu;
  hash->b = turn(hash->b, 27) * 0x9e3779b185ebca87u + 0x165667b19e3779f9u;
}

void oak_hash_bytes(oak_hash_t *hash, const void *bytes, size_t count) {
  const unsigned char *byte = bytes;
  for (; count >= 8; count -= 8, byte += 8) {
    uint64_t word;
    memcpy(&word, byte, 8);
    add_word(hash, word);
  }
  if (!count) return;
  uint64_t rest = count; /* so that zeros at the end count */
  for (size_t i = 0; i < count; i++) rest = rest << 8 | byte[i];
  add_word(hash, rest);
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
