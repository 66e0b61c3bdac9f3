/* SPDX-License-Identifier: GPL-2.0-or-later
 * The text that oak puts in front of the files of physics and problem: the structures of their
 * parameters, and which hooks, globals, outputs and fields they have. */
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#include "setup/setup.h"

/* `more`: another member, the last one. */
static void print_structure(FILE *f, const oak_declared_t *d, oak_owner_t owner,
                            const char *section, const char *more) {
  int any = 0;
  fprintf(f, "struct %s_parameters {\n", section);
  for (int n = 0; n < d->count; n++)
    if (d->parameter[n].owner == owner) {
      const int array = d->parameter[n].kind == OAK_PARAMETER_ARRAY;
      fprintf(f, array ? "  double %s[%d];\n" : "  double %s;\n", d->parameter[n].name,
              d->parameter[n].length);
      any = 1;
    }
  fprintf(f, "%s%s};\n", any ? "" : "  double oak_unused;\n", more);
}

/* Fields that are variables of the state. */
static void print_fixed(FILE *f, const oak_setup_t *setup, int describe) {
  const oak_field_list_t *list = &setup->fields;
  const oak_declared_t *d = &setup->files.declared;
  const int count = describe ? d->nfixed : list->nfixed;
  int functions = 0;
  fprintf(f, "\n#define OAK_FIXED(OAK_X)");
  for (int n = 0; n < count; n++)
    fprintf(f, " OAK_X(%s, %s)", describe ? d->fixed[n].variable : list->fixed[n].text,
            describe ? d->fixed[n].name : list->fixed[n].name);
  if (count) fprintf(f, "\n#define OAK_HAS_FIXED 1");
  for (int n = 0; n < list->nfixed && !describe; n++) {
    if (!list->fixed[n].function) continue;
    if (!functions++) fprintf(f, "\n#define OAK_FIXED_FUNCTIONS(OAK_X)");
    fprintf(f, " OAK_X(%s, %s, %s_field_%s)", list->fixed[n].text, list->fixed[n].name,
            list->fixed[n].function, list->fixed[n].name);
  }
}

/* Before the files are described, all fields that they declare; afterwards those that the
 * preprocessor leaves. */
static void print_fields(FILE *f, const oak_setup_t *setup, int describe) {
  const oak_field_list_t *list = &setup->fields;
  const oak_declared_t *d = &setup->files.declared;
  int functions = 0, number = 0;
  if (describe ? !d->nfield && !d->nfixed : !list->count && !list->nfixed) return;
  fprintf(f, "\n#define OAK_FIELDS(OAK_X)");
  for (int n = 0; n < (describe ? d->nfield : list->count); n++) {
    const char *name = describe ? d->field[n].name : list->field[n].name;
    if (!oak_declared_fixed(d, name)) fprintf(f, " OAK_X(%d, %s)", number++, name);
  }
  for (int n = 0; n < list->count && !describe; n++) {
    if (!list->field[n].function) continue;
    if (!functions++) fprintf(f, "\n#define OAK_FIELD_FUNCTIONS(OAK_X)");
    fprintf(f, " OAK_X(%d, %s_field_%s)", n, list->field[n].function, list->field[n].name);
  }
  print_fixed(f, setup, describe);
}

/* For kernels/check/identities.c. */
static void print_riemann(const oak_declared_t *d, FILE *f) {
  fprintf(f, "#define OAK_RIEMANN_LIST(OAK_X)");
  for (int n = 0, count = 0; n < d->nscheme; n++)
    if (d->scheme[n].kind == OAK_FLUXES) fprintf(f, " OAK_X(%d, %s)", count++, d->scheme[n].name);
  fprintf(f, "\n");
}

/* Fields on faces: their numbers follow those of the fields beside the state. A vector on faces is
 * in the state; kernels get its variable as a constant (src/setup/sources.c). */
static void print_faces(FILE *f, const oak_setup_t *setup, int describe) {
  const oak_field_list_t *list = &setup->fields;
  const oak_declared_t *d = &setup->files.declared;
  const int count = d->nface;
  if (count || d->nvector) {
    fprintf(f, "struct oak_face_numbers {\n");
    for (int n = 0; n < count; n++) fprintf(f, "  OAK_REAL %s;\n", d->face[n].name);
    if (d->nvector) fprintf(f, "  OAK_REAL %s;\n", d->vector[0].name);
    fprintf(f, "};\n#define OAK_FACE_FIELDS(OAK_X)");
    for (int n = 0; n < count; n++) fprintf(f, " OAK_X(%d, %s)", list->count + n, d->face[n].name);
    fprintf(f, "\n");
  }
  if (d->nvector && describe) fprintf(f, "#define OAK_FACE_VECTOR %s\n", d->vector[0].variable);
  if (d->nvector) fprintf(f, "#define OAK_FACE_VECTOR_NAME %s\n", d->vector[0].name);
  print_structure(f, d, OAK_OF_PHYSICS, "physics",
                  count || d->nvector ? "  struct oak_face_numbers face;\n" : "");
}

oak_status_t oak_setup_hook_text(const oak_setup_t *setup, int purpose, char **out) {
  size_t size;
  FILE *f = open_memstream(out, &size);
  OAK_CHECK(f, OAK_ERR_MEMORY, "no memory for the parameters of %s", setup->files.problem);
  const int declare = purpose == OAK_TO_DECLARE;
  if (declare)
    fprintf(f, "#define OAK_DECLARE 1\n");
  else
    print_faces(f, setup, purpose);
  if (!declare) print_structure(f, &setup->files.declared, OAK_OF_PROBLEM, "problem", "");
  fprintf(f, "#define OAK_PHYSICS \"%s\"\n", setup->files.physics);
  fprintf(f, "#define OAK_PROBLEM \"%s\"\n", setup->files.problem);
  fprintf(f, "#define OAK_DESCRIBE %d\n", purpose == OAK_TO_DESCRIBE);
  OAK_FOR_TOPICS(t, print) {
    t->print(setup, purpose, f);
    fputc('\n', f);
  }
  if (declare) return oak_close_text(f, OAK_OK);
  if (purpose == OAK_FOR_KERNELS) print_riemann(&setup->files.declared, f);
  if (purpose == OAK_FOR_KERNELS) oak_boundary_print(setup, f);
  oak_print_hooks(setup, f);
  static const char *const kinds[] = {[OAK_GLOBAL_MAX] = "MAX",
                                      [OAK_GLOBAL_MIN] = "MIN",
                                      [OAK_GLOBAL_INTEGRAL] = "INTEGRAL",
                                      [OAK_GLOBAL_RATE] = "MAX",
                                      [OAK_GLOBAL_PLACE] = "MAX"};
  if (setup->description.nglobal)
    fprintf(f, "#define OAK_NGLOBALS %d\n#define OAK_GLOBALS(OAK_X)", setup->description.nglobal);
  for (int g = 0; g < setup->description.nglobal; g++) {
    const int n = setup->description.global_slot[g];
    fprintf(f, " OAK_X(%d, %s_global_%s, %s)", g,
            setup->files.declared.parameter[n].owner == OAK_OF_PHYSICS ? "physics" : "problem",
            setup->files.declared.parameter[n].name,
            kinds[setup->files.declared.parameter[n].kind]);
  }
  const oak_declared_t *d = &setup->files.declared;
  if (d->noutput) fprintf(f, "\n#define OAK_OUTPUTS(OAK_X)");
  for (int v = 0; v < d->noutput; v++)
    fprintf(f, " OAK_X(%d, %s_output_%s)", v,
            d->output[v].owner == OAK_OF_PHYSICS ? "physics" : "problem", d->output[v].name);
  print_fields(f, setup, purpose);
  fputc('\n', f);
  oak_text_end_macros(setup->files.text, f);
  return oak_close_text(f, OAK_OK);
}
