/* SPDX-License-Identifier: GPL-2.0-or-later
 * Kernels found in the cache without asking the compiler: nothing is started while nothing has
 * changed, and a change of whatever they depend on is seen. A copy of gcc has programs and headers
 * that the test may edit. */
// TEST flags=default
// WRAP posix_spawn: counts
#define _GNU_SOURCE 1
#include "cache_test.h"

#include <spawn.h>

static int starts;    /* of programs */
static int meanwhile; /* 1: an included header changes when the next compilation starts */

int __real_posix_spawn(pid_t *, const char *, const posix_spawn_file_actions_t *,
                       const posix_spawnattr_t *, char *const[], char *const[]);
int __wrap_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const command[],
                       char *const environment[]);
int __wrap_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const command[],
                       char *const environment[]) {
  starts++;
  for (int i = 0; meanwhile && command[i]; i++) {
    if (strcmp(command[i], "-o") != 0) continue;
    write_file("part.h", "#define VALUE 2\n");
    meanwhile = 0;
  }
  return __real_posix_spawn(pid, path, actions, attributes, command, environment);
}

/** A change, the value after it, and how it is undone. */
typedef struct {
  const char *name, *flags, *change, *undo;
  int value;
} change_t;

#define NEXT(file, header) \
  "(echo '#include_next <" header ">'; echo '#define VALUE 2') > " file "/" header
static const change_t changes[] = {
    {"an included header", "", "echo '#define VALUE 2' > part.h", "cp part.first part.h", 2},
    {"the source", "", "sed -i 's/= VALUE/= 2/' value.c", "sed -i 's/= 2/= VALUE/' value.c", 2},
    {"a header of the kernels", "", "echo '#define VALUE 2' >> home/include/oak/kernel.h",
     "sed -i '$d' home/include/oak/kernel.h", 2},
    {"a header that is found earlier", "-Ifirst -Isecond -DSUB", NEXT("first", "sub.h"),
     "rm first/sub.h", 2},
    {"a header of the compiler", "", "echo '#define VALUE 2' >> own/float.h",
     "sed -i '$d' own/float.h", 2},
    {"a header in front of one of the system", "", NEXT("own", "errno.h"), "rm own/errno.h", 2},
    {"a header in front of one that the system includes", "-Ifirst", NEXT("first", "features.h"),
     "rm first/features.h", 2},
    {"the compiler", "", "printf x >> bin/gcc", "truncate -s -1 bin/gcc", 1},
    {"a link to the compiler", "",
     "cp real/gcc other && printf x >> other/gcc && ln -sf ../other/gcc bin/gcc",
     "ln -sf ../real/gcc bin/gcc", 1},
    {"the assembler", "", "cp $(command -v as) path/as && printf x >> path/as", "rm path/as", 1},
};

static const char in_compiler[] =
    "I=$(gcc -print-file-name=include) && T=gcc/$(gcc -dumpmachine) && "
    "L=lib/$T/$(gcc -dumpversion) && "
    "mkdir -p bin real other home first second path $L libexec/$T && cp -r \"$OAK_HOME\"/include "
    "home && "
    /* From gcc 13 on, its programs are in libexec. */
    "ln -s $(dirname $(gcc -print-prog-name=cc1)) libexec/$T/$(gcc -dumpversion) && "
    "cp $(readlink -f $(command -v gcc)) real/gcc && ln -s ../real/gcc bin && "
    " ln -s $(dirname $I)/* $L && rm $L/include && "
    "cp -r $I $L && ln -s $L/include own && cp part.h part.first && : > second/sub.h && "
    "bin/gcc -v -E -x c /dev/null 2>&1 | grep -q \"^ $PWD/$L/include\"";

/** Files have times that differ from step to step and lie in the past. The links lead to files of
 * the system, whose times stay. */
static void in_folders(const char *command) {
  static int time = 1000000000;
  shell(
      text("cd %s && (%s) && find bin real other lib libexec home first second path -exec touch -h "
           "-d @%d {} +",
           folder, command, time++));
}

/** Build with the copy of gcc. \return the value; *compiled: 1 if the kernel was not in the cache.
 */
static int value_of(const char *compiler, const char *flags, int *compiled) {
  int built;
  starts = 0;
  oak_device_t *dev = open_device(in_folder(compiler), flags);
  const int value = value_on(dev);
  oak_device_builds(dev, &built, compiled);
  oak_device_close(&dev);
  return value;
}

enum { ANY = -1 };

/** \a asks: 1 if the compiler is asked. */
static void expect(const char *name, const char *flags, int value, int compiles, int asks) {
  int compiled;
  const int found = value_of("bin/gcc", flags, &compiled), asked = starts > 0;
  if (found != value || compiled != compiles || (asks != ANY && asked != asks))
    fail_msg("%s: value %d (%d), compiled %d (%d), asked %d (%d)", name, found, value, compiled,
             compiles, asked, asks);
}

static int enter(void **state) {
  static char path[4096], home[4096];
  if (setup(state) != 0 || chdir(folder) != 0) return 1;
  write_file("part.h", "#ifndef VALUE\n#define VALUE 1\n#endif\n");
  write_file("value.c",
             "#include <float.h>\n#include <errno.h>\n#include \"part.h\"\n"
             "#ifdef SUB\n#include <sub.h>\n#endif\n"
             "OAK_CONST_DATA int value = VALUE;\n");
  if (!path[0]) snprintf(path, sizeof path, "%s", getenv("PATH"));
  if (!home[0]) snprintf(home, sizeof home, "%s", getenv("OAK_HOME"));
  setenv("OAK_HOME", home, 1);
  if (system(in_compiler) != 0) return 0;
  setenv("PATH", text("%s:%s", in_folder("path"), path), 1);
  setenv("OAK_HOME", in_folder("home"), 1);
  in_folders("true");
  return 0;
}

#define NEED_COPY() \
  if (access("own/float.h", R_OK) != 0) SKIP_CASE("gcc cannot be copied")

static void test_changes(void **state) {
  (void)state;
  NEED_COPY();
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    const change_t *c = &changes[i];
    shell("rm -rf cache && mkdir cache");
    expect(c->name, c->flags, 1, 1, 1);
    expect(c->name, c->flags, 1, 0, 0);
    in_folders(c->change);
    expect(c->name, c->flags, c->value, 1, 1);
    expect(c->name, c->flags, c->value, 0, 0);
    in_folders(c->undo);
    expect(c->name, c->flags, 1, 0, ANY);
  }
}

/** Flags and the environment, which need no change of a file. */
static void test_choices(void **state) {
  (void)state;
  NEED_COPY();
  in_folders(NEXT("second", "float.h"));
  expect("no choice", "", 1, 1, 1);
  expect("a flag", "-DVALUE=2", 2, 1, 1);
  setenv("CPATH", in_folder("second"), 1);
  expect("CPATH", "", 2, 1, 1);
  expect("CPATH again", "", 2, 0, 0);
  unsetenv("CPATH");
  expect("no choice again", "", 1, 0, ANY);
  expect("a flag again", "-DVALUE=2", 2, 0, 0);
  setenv("COMPILER_PATH", in_folder("path"), 1); /* does not reach the compiler */
  expect("programs elsewhere", "", 1, 0, 0);
  unsetenv("COMPILER_PATH");
}

/** The kernel of the changed header must not be found for the old one. */
static void test_meanwhile(void **state) {
  (void)state;
  NEED_COPY();
  meanwhile = 1;
  expect("a change meanwhile", "", 2, 1, 1);
  assert_int_equal(meanwhile, 0);
  expect("after it", "", 2, 0, ANY);
  in_folders("cp part.first part.h");
  expect("the old header", "", 1, 1, 1);
}

/** What oak cannot know is asked each time. */
static void test_unknown(void **state) {
  (void)state;
  int compiled;
  NEED_COPY();
  in_folders("true");
  shell("touch -d 'now + 1 hour' bin/gcc"); /* it may change without another time */
  expect("a new compiler", "", 1, 1, 1);
  expect("a new compiler", "", 1, 0, 1);
  in_folders("true");
  write_file("part.h", "#define VALUE (__DATE__[0] > 0)\n");
  expect("a date", "", 1, 1, 1);
  expect("a date", "", 1, 0, 1);
  write_file(
      "part.h",
      "#if __has_include(<missing.h>)\n#include <missing.h>\n#else\n#define VALUE 1\n#endif\n");
  expect("a missing header", "", 1, 1, 1);
  expect("a missing header", "", 1, 0, 1);
  in_folders("echo '#define VALUE 2' > own/missing.h");
  expect("a header that was missing", "", 2, 1, 1);
  in_folders("rm own/missing.h; cp part.first part.h");
  /* A program that starts a compiler, such as ccache. */
  write_script("inner", "exec gcc -DVALUE=1 \"$@\"");
  write_file("other.c", text("#include <unistd.h>\nint main(int n, char **a) {\n  return n < 0 ? n "
                             ": execv(\"%s\", a);\n}\n",
                             in_folder("inner")));
  shell("gcc other.c -o bin/other");
  assert_int_equal(value_of("bin/other", "", &compiled), 1);
  write_script("inner", "exec gcc -DVALUE=2 \"$@\"");
  assert_int_equal(value_of("bin/other", "", &compiled), 2);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_changes, enter), cmocka_unit_test_setup(test_choices, enter),
      cmocka_unit_test_setup(test_meanwhile, enter), cmocka_unit_test_setup(test_unknown, enter)};
  return CACHE_TEST_MAIN(tests);
}
