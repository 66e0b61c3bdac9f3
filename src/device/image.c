/* SPDX-License-Identifier: GPL-2.0-or-later
 * Object files as bytes: what can be known of one without loading it, which would run code. */
#include <link.h>
#include <string.h>

#include "device_private.h"

/** A piece of an object file, or NULL if the file does not reach that far. */
static const void *piece_of(const oak_buffer_t *object, size_t at, size_t size) {
  return at <= object->length && size <= object->length - at ? object->data + at : NULL;
}

/** The headers of the sections of an object file, NULL if it cannot be read. */
static const ElfW(Shdr) * sections_of(const oak_buffer_t *object, int *count) {
  const ElfW(Ehdr) *head = piece_of(object, 0, sizeof *head);
  *count = 0;
  if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_shoff % sizeof(long) != 0)
    return NULL;
  *count = head->e_shnum;
  return piece_of(object, head->e_shoff, (size_t)*count * sizeof(ElfW(Shdr)));
}

/** The bytes of a symbol that the linker has exported; NULL if they are not in the file. */
static const void *bytes_of(const oak_buffer_t *object, const ElfW(Shdr) * section, int count,
                            const ElfW(Sym) * symbol) {
  const int in = symbol->st_shndx;
  if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || in <= 0 || in >= count || !symbol->st_size ||
      section[in].sh_type != SHT_PROGBITS || symbol->st_value < section[in].sh_addr)
    return NULL;
  const size_t at = symbol->st_value - section[in].sh_addr, size = section[in].sh_size;
  if (at > size || symbol->st_size > size - at) return NULL;
  return piece_of(object, section[in].sh_offset + at, symbol->st_size);
}

static const void *find_in(const oak_buffer_t *object, const ElfW(Shdr) * section, int count,
                           const ElfW(Shdr) * table, const char *name, size_t *size) {
  if (table->sh_link >= (unsigned)count || table->sh_offset % sizeof(long) != 0) return NULL;
  const ElfW(Shdr) *texts = &section[table->sh_link];
  const ElfW(Sym) *symbol = piece_of(object, table->sh_offset, table->sh_size);
  const char *text = piece_of(object, texts->sh_offset, texts->sh_size);
  const size_t length = strlen(name) + 1;
  for (size_t i = 0; symbol && text && i < table->sh_size / sizeof *symbol; i++) {
    const size_t at = symbol[i].st_name;
    if (at > texts->sh_size || length > texts->sh_size - at || memcmp(text + at, name, length) != 0)
      continue;
    *size = symbol[i].st_size;
    return bytes_of(object, section, count, &symbol[i]);
  }
  return NULL;
}

const void *oak_image_constant(const oak_buffer_t *object, const char *name, size_t *size) {
  int count;
  const ElfW(Shdr) *section = sections_of(object, &count);
  for (int i = 0; section && i < count; i++)
    if (section[i].sh_type == SHT_DYNSYM)
      return find_in(object, section, count, &section[i], name, size);
  return NULL;
}

/** Whether a section holds variables that a program may write to. */
static int is_writable(const oak_buffer_t *object, const ElfW(Shdr) * section, int count, int in) {
  const ElfW(Ehdr) *head = piece_of(object, 0, sizeof *head);
  if (in <= 0 || in >= count || !(section[in].sh_flags & SHF_WRITE) || head->e_shstrndx >= count)
    return 0;
  const ElfW(Shdr) *names = &section[head->e_shstrndx];
  const char *name = piece_of(object, names->sh_offset + section[in].sh_name, 12);
  return name && memcmp(name, ".data.rel.ro", 12) != 0; /* constants with addresses in them */
}

const char *oak_image_writable(const oak_buffer_t *object, int number) {
  int count, own = 1;
  const ElfW(Shdr) *section = sections_of(object, &count), *table = NULL;
  for (int i = 0; section && i < count && !table; i++)
    if (section[i].sh_type == SHT_SYMTAB && section[i].sh_link < (unsigned)count)
      table = &section[i];
  if (!table || table->sh_offset % sizeof(long) != 0) return NULL;
  const ElfW(Shdr) *texts = &section[table->sh_link];
  const ElfW(Sym) *symbol = piece_of(object, table->sh_offset, table->sh_size);
  const char *text = piece_of(object, texts->sh_offset, texts->sh_size);
  for (size_t i = 0; symbol && text && i < table->sh_size / sizeof *symbol; i++) {
    const int type = ELF64_ST_TYPE(symbol[i].st_info);
    if (symbol[i].st_name >= texts->sh_size) continue;
    const char *name = text + symbol[i].st_name;
    if (!memchr(name, 0, texts->sh_size - symbol[i].st_name)) continue;
    if (type == STT_FILE) own = strncmp(name, "crt", 3) != 0; /* of the compiler */
    if ((type == STT_OBJECT || type == STT_TLS) && own && symbol[i].st_size &&
        is_writable(object, section, count, symbol[i].st_shndx) && number-- == 0)
      return name;
  }
  return NULL;
}
