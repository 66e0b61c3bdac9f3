/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak editor: what clangd must know to complete and check problem and physics files. */
#include <errno.h>
#include <oak.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "str.h"

enum { LIST = 2048 };

/* The file of a physics, as an #include of oak/editor.h finds it. */
static oak_status_t find_physics(const char *name, const char *root, char path[PATH_MAX]) {
  const size_t length = strlen(name);
  const int own = length > 2 && !strcmp(name + length - 2, ".c");
  char guess[PATH_MAX];
  OAK_CHECK(own ? snprintf(guess, sizeof guess, "%s", name) < (int)sizeof guess
                : snprintf(guess, sizeof guess, "%s/physics/%s.c", root, name) < (int)sizeof guess,
            OAK_ERR_INPUT, "the path of physics %.60s... is too long", name);
  OAK_CHECK(realpath(guess, path), OAK_ERR_FILE,
            "there is no physics '%s': no file %s; oak info lists those that come with oak", name,
            guess);
  OAK_CHECK(!strpbrk(path, "'\"\n"), OAK_ERR_INPUT,
            "%s: the path holds a quote or the end of a line, which settings of clangd cannot",
            path);
  return OAK_OK;
}

/* Members of the structure of parameters. */
static oak_status_t print_parameters(const char *path, const char *constant) {
  char names[16384];
  OAK_TRY(oak_list_parameters(path, names, sizeof names));
  printf("'-D%s=", constant);
  if (!*names) printf("double oak_unused;");
  for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) printf("double %s; ", name);
  printf("'\n");
  return OAK_OK;
}

/* Names that a file declares, as a list of X(number, name), without those named in \a known. */
static oak_status_t print_names(oak_status_t (*list)(const char *, char *, size_t),
                                const char *path, const char *constant, const char *known) {
  char names[LIST];
  int any = 0;
  OAK_TRY(list(path, names, sizeof names));
  for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
    if (oak_str_has_word(known, name, strlen(name))) continue;
    if (!any++) printf("    - '-D%s(X)=", constant);
    printf("X(0, %s) ", name);
  }
  if (any) printf("'\n");
  return OAK_OK;
}

static void print_match(const char *file) {
  printf("---\nIf:\n  PathMatch: '(.*/)?");
  for (const char *c = file; *c; c++) printf(strchr(".+()[]{}^$|*?\\", *c) ? "\\%c" : "%c", *c);
  printf("'\nCompileFlags:\n");
}

/* The parameter files of this folder that oak can read, up to the NULL behind them; the caller
 * destroys them. NULL: no memory. */
static oak_params_t **read_runs(void) {
  oak_words_t file = oak_list_files(".", ".ini");
  oak_params_t **run = calloc((size_t)file.count + 1, sizeof *run);
  for (int i = 0, count = 0; i < file.count && run; i++) {
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s.ini", file.word[i]);
    if (oak_params_new(&run[count]) == OAK_OK &&
        oak_params_read(run[count], MPI_COMM_SELF, name) == OAK_OK &&
        oak_params_check(run[count], 0) == OAK_OK)
      count++;
    else
      oak_params_destroy(&run[count]);
  }
  oak_words_free(&file);
  return run;
}

/* Dimension and coordinates of the first run whose \a key, a name or a path, names the C file \a
 * file. Without such a run the file is seen in 3D and Cartesian coordinates. */
static void print_mesh(oak_params_t *const *run, const char *key, const char *file) {
  for (; *run; run++) {
    const char *name = oak_params_text(*run, key), *base = strrchr(name, '/');
    const size_t length = strlen(file) - strlen(".c");
    base = base ? base + 1 : name;
    if (strcmp(base, file) && !(strlen(base) == length && !strncmp(base, file, length))) continue;
    printf("    - -DOAK_DIM=%d\n    - -DOAK_COORDINATES=%d\n", oak_params_int(*run, "mesh.dim"),
           oak_params_choice(*run, "mesh.coordinates"));
    return;
  }
}

/* Mesh, parameters and fields of every C file of this folder, except the file \a physics (NULL: it
 * is in another folder) and its fields. */
static oak_status_t print_problems(const char *physics, const char *fields,
                                   oak_params_t *const *run) {
  oak_status_t st = OAK_OK;
  oak_words_t file = oak_list_files(".", ".c");
  for (int i = 0; i < file.count && st == OAK_OK; i++) {
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s.c", file.word[i]);
    if ((physics && !strcmp(name, physics)) || strpbrk(name, "'\"\n")) continue;
    print_match(name);
    printf("  Add:\n");
    print_mesh(run, "problem.name", name);
    printf("    - ");
    st = print_parameters(name, "OAK_EDITOR_PARAMETERS");
    if (st == OAK_OK) st = print_names(oak_list_fields, name, "OAK_EDITOR_FIELDS", fields);
  }
  oak_words_free(&file);
  return st;
}

static oak_status_t print_settings(const char *physics) {
  const char *root, *base;
  char path[PATH_MAX], here[PATH_MAX], fields[LIST];
  OAK_TRY(oak_source_root(&root));
  OAK_TRY(find_physics(physics, root, path));
  printf("# Made by: oak editor %s\nCompileFlags:\n  Add:\n", physics);
  printf("    - -xc\n    - -std=gnu11\n    - '-I%s/include'\n    - '-I%s'\n", root, root);
  printf("    - -include\n    - oak/editor.h\n    - -DOAK_EDITOR_OPENS_PROBLEM\n");
  printf("    - '-DOAK_PHYSICS=\"%s\"'\n", path);
  printf("    - ");
  OAK_TRY(print_parameters(path, "OAK_EDITOR_PHYSICS_PARAMETERS"));
  OAK_TRY(print_names(oak_list_fields, path, "OAK_EDITOR_PHYSICS_FIELDS", ""));
  OAK_TRY(print_names(oak_list_faces, path, "OAK_EDITOR_PHYSICS_FACES", ""));
  OAK_TRY(print_names(oak_list_equations, path, "OAK_EDITOR_PHYSICS_EQUATIONS", "phi"));
  OAK_TRY(oak_list_fields(path, fields, sizeof fields));
  /* Where an editor opens the physics itself, it must not be included a second time. A problem may
   * have the name of a physics in another folder. */
  base = strrchr(path, '/');
  OAK_CHECK(realpath(".", here), OAK_ERR_FILE, "this folder has no path: %s", strerror(errno));
  base = !strncmp(path, here, strlen(here)) && base == path + strlen(here) ? base + 1 : NULL;
  if (base) {
    print_match(base);
    printf("  Add:\n    - -DOAK_EDITOR_OPENS_PHYSICS\n");
  }
  oak_params_t **run = read_runs();
  OAK_CHECK(run, OAK_ERR_MEMORY, "no memory for the parameter files of this folder");
  if (base) print_mesh(run, "physics.name", base);
  const oak_status_t st = print_problems(base, fields, run);
  for (oak_params_t **r = run; *r; r++) oak_params_destroy(r);
  free(run);
  return st;
}

static oak_status_t editor(oak_arguments_t *a) {
  return print_settings(a->nword ? a->word[0] : "euler");
}

const oak_command_t oak_command_editor = {
    .name = "editor",
    .summary = "print settings with which editors complete your problem files",
    .usage = "[PHYSICS] > .clangd",
    .help =
        "Prints settings for clangd, the C language server of many editors. With the file .clangd\n"
        "in a folder, editors complete and check the hooks and macros of the problem files in\n"
        "this folder. PHYSICS is the value of physics.name: a physics that comes with oak, such\n"
        "as euler, or a C file such as ./my.c. A file is seen with mesh.dim and mesh.coordinates\n"
        "of the first parameter file in the folder that names it, or else in 3D. Run the command\n"
        "again when one of these changes, or when a file has a new PARAMETER or FIELD.\n",
    .most = 1,
    .looks = 1,
    .run = editor};
