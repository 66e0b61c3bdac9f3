/* SPDX-License-Identifier: GPL-2.0-or-later
 * A hash of bytes and texts. Private. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/** A 128-bit hash against accidents, not against attackers. */
typedef struct oak_hash {
  uint64_t a, b;
} oak_hash_t;

void oak_hash_start(oak_hash_t *hash);
void oak_hash_bytes(oak_hash_t *hash, const void *bytes, size_t count);
/** Hash the text and its end, so that "ab","c" and "a","bc" differ. */
void oak_hash_text(oak_hash_t *hash, const char *text);
void oak_hash_hex(const oak_hash_t *hash, char hex[33]);
