/* SPDX-License-Identifier: GPL-2.0-or-later
 * The cache of kernels: when a kernel is built again, and compilers that fail or hang. */
// TEST flags=default sanitize
// TEST name=long_@test@ suite=long OAK_TEST_LONG=1
#define _GNU_SOURCE 1
#include "cache_test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- when a kernel is built anew */

/** Whether oak sees that a kernel is out of date. If nobody can, the cache does not keep the
 * kernel.
 */
typedef enum { SEEN, BY_NOBODY } seen_t;

/** A way in which the value gets into the kernel: the source, flags (%s is the folder), and
 * commands that set the value to 1 and to 2. */
typedef struct {
  const char *name, *source, *flags, *one, *two;
  seen_t by;
} way_t;

#define CONSTANT "\nOAK_CONST_DATA int value = VALUE;\n"
#define PART_1 "echo '#define VALUE 1' > part.h"
#define PART_2 "echo '#define VALUE 2' > part.h"
#define LIBRARY(value)                  \
  "echo 'const int part_value = " value \
  ";' > lib.c && cc -fPIC -c lib.c -o lib.o && rm -f libpart.a && ar rc libpart.a lib.o"
#define DATA(value) "printf '\\" value "\\0\\0\\0' > data"
/* The assembler reads part_value. */
#define ASSEMBLED(line)                                                              \
  "__asm__(\".pushsection .rodata\\n.globl part_value\\n.type part_value,@object\\n" \
  ".size part_value,4\\npart_value:\\n" line "\\n.popsection\\n\");\n"
/* A linker that adds an object, and another one that adds another object. */
#define LINKER(folder, object)                                                                  \
  "mkdir -p " folder " && (echo '#!/bin/sh'; echo \"exec /usr/bin/ld \\\"\\$@\\\" $PWD/" object \
  "\") > " folder "/ld && chmod 0700 " folder "/ld"
#define OTHER_LINKER(folder) LIBRARY("2") " && mv lib.o two.o && " LINKER(folder, "two.o")
#define FROM_LIBRARY "extern const int part_value; const int *value_use = &part_value;\n"

static const way_t ways[] = {
    {"constant", "#define PART \"part.h\"\n#define OTHER PART\n#include OTHER" CONSTANT, "", PART_1,
     PART_2, SEEN},
    {"constant in flags", "#include PART" CONSTANT, "-DPART=\"part.h\"", PART_1, PART_2, SEEN},
    {"joined constant", "#define S_(x) #x\n#define S(x) S_(x)\n#include S(part.h)" CONSTANT, "",
     PART_1, PART_2, SEEN},
    {"comment", "/* a */ # /* b\n */ include /* c */ \"part.h\"" CONSTANT, "", PART_1, PART_2,
     SEEN},
    {"continued line", "#inc\\\nlude \\\n \"part.h\"" CONSTANT, "", PART_1, PART_2, SEEN},
    {"digraph", "%:include \"part.h\"" CONSTANT, "", PART_1, PART_2, SEEN},
    {"-include", CONSTANT, "-include %s/part.h", PART_1, PART_2, SEEN},
    {"-include of an include", CONSTANT, "-include %s/outer.h",
     PART_1 " && echo '#include \"part.h\"' > outer.h", PART_2, SEEN},
    {"-isystem", "#include <sub.h>" CONSTANT, "-isystem %s/sub",
     "mkdir -p sub && echo '#define VALUE 1' > sub/sub.h", "echo '#define VALUE 2' > sub/sub.h",
     SEEN},
    {"CPATH", "#include <sub.h>" CONSTANT, "",
     "mkdir -p path && echo '#define VALUE 1' > path/sub.h", "echo '#define VALUE 2' > path/sub.h",
     SEEN},
    {"a file found earlier", "#include <sub.h>" CONSTANT, "-I%s/first -I %s/second",
     "mkdir -p first second && rm -f first/sub.h && echo '#define VALUE 1' > second/sub.h",
     "echo '#define VALUE 2' > first/sub.h", SEEN},
    {"a file beside a header", "#include <sub/outer.h>" CONSTANT, "-I%s/first -I%s/second",
     "mkdir -p first second/sub && rm -f second/sub/inner.h && echo '#define VALUE 1' > "
     "first/inner.h && "
     "echo '#include \"inner.h\"' > second/sub/outer.h",
     "echo '#define VALUE 2' > second/sub/inner.h", SEEN},
    {"a file asked for",
     "#if __has_include(\"more.h\")\n#define VALUE 2\n#else\n#define VALUE 1\n#endif" CONSTANT, "",
     "rm -f more.h", "echo > more.h", SEEN},
    {"a file asked for by a macro",
     "#define S_(x) #x\n#define S(x) S_(x)\n#if __has_include(S(more.h))\n#define VALUE 2\n#else\n"
     "#define VALUE 1\n#endif" CONSTANT,
     "", "rm -f more.h", "echo > more.h", SEEN},
    {"a macro that asks for a file",
     "#define HAS(name) __has_include(name)\n#if HAS(\"more.h\")\n#define VALUE 2\n#else\n"
     "#define VALUE 1\n#endif" CONSTANT,
     "", "rm -f more.h", "echo > more.h", SEEN},
    {"a flag that asks for a file",
     "#if HAS\n#define VALUE 2\n#else\n#define VALUE 1\n#endif" CONSTANT,
     "-DHAS=__has_include(\"more.h\")", "rm -f more.h", "echo > more.h", SEEN},
    {"a library", FROM_LIBRARY, "-L%s -lpart", LIBRARY("1"), LIBRARY("2"), BY_NOBODY},
    {"a library by its path", FROM_LIBRARY, "%s/libpart.a", LIBRARY("1"), LIBRARY("2"), BY_NOBODY},
    {"a library for the linker", FROM_LIBRARY, "-Wl,%s/libpart.a", LIBRARY("1"), LIBRARY("2"),
     BY_NOBODY},
    {"the compiler", CONSTANT, "", "(echo '#!/bin/sh'; echo 'exec cc -DVALUE=1 \"$@\"') > own-cc",
     "sed -i s/VALUE=1/VALUE=2/ own-cc", SEEN},
    {"a library that a linker script names", FROM_LIBRARY, "%s/script",
     LIBRARY("1") " && echo \"INPUT($PWD/lib.o)\" > script", LIBRARY("2"), BY_NOBODY},
    {"a linker script in place of a library", FROM_LIBRARY, "-L%s/second -lscript",
     LIBRARY("1") " && mkdir -p second && echo 'GROUP ( ../lib.o )' > second/libscript.so",
     LIBRARY("2"), BY_NOBODY},
    {"a member of a thin archive", FROM_LIBRARY, "%s/thin.a",
     LIBRARY("1") " && rm -f thin.a && ar rcT thin.a lib.o", LIBRARY("2"), BY_NOBODY},
    {"data for the assembler", ASSEMBLED(".inc\" \"bin \\\"data\\\""), "", DATA("1"), DATA("2"),
     BY_NOBODY},
    {"data, with a name like that of the unit", ASSEMBLED(".incbin \\\"cpu_data\\\""), "",
     DATA("1") " && cp data cpu_data", DATA("2") " && cp data cpu_data", BY_NOBODY},
    {"data, in capitals", ASSEMBLED(".INCBIN \\\"data\\\""), "", DATA("1"), DATA("2"), BY_NOBODY},
    {"data, with an escape sequence", ASSEMBLED("\\056incbin \\\"data\\\""), "", DATA("1"),
     DATA("2"), BY_NOBODY},
    {"data, by a macro of the assembler",
     "__asm__(\".macro bytes how\\n.\\\\how \\\"data\\\"\\n.endm\");\n" ASSEMBLED("bytes incbin"),
     "", DATA("1"), DATA("2"), BY_NOBODY},
    {"data, in a raw string",
     "asm(R\"(.pushsection .rodata\n.globl part_value\n.type part_value,@object\n"
     ".size part_value,4\npart_value: .incbin \"data\"\n.popsection)\");\n",
     "", DATA("1"), DATA("2"), BY_NOBODY},
    {"data, by the name of a section",
     "__attribute__((section(\".rodata\\n.globl part_value\\n.type part_value,@object\\n"
     ".size part_value,4\\npart_value: \\056incbin \\\"data\\\"\\n#\"))) const int other = 7;\n",
     "", DATA("1"), DATA("2"), BY_NOBODY},
    {"data, by a name",
     FROM_LIBRARY "static int other __attribute__((__weakref__(\"third\\n.pushsection .rodata\\n"
                  ".globl part_value\\n.type part_value,@object\\n.size part_value,4\\n"
                  "part_value: .incbin \\\"data\\\"\\n.popsection\\n.set fourth,5\")));\nconst int "
                  "*use = &other;\n",
     "", DATA("1"), DATA("2"), BY_NOBODY},
    {"a library in a file of flags", FROM_LIBRARY, "-Wl,@%s/flags",
     LIBRARY("1") " && echo $PWD/libpart.a > flags", LIBRARY("2"), BY_NOBODY},
    {"data, in a source in the flags", FROM_LIBRARY, "%s/more.s -Wa,-I%s",
     DATA("1") " && (echo .globl part_value; echo 'part_value: .incbin \"data\"') > more.s",
     DATA("2"), BY_NOBODY},
    {"a file for the assembler", ASSEMBLED(".include \\\"more.s\\\""), "", "echo .long 1 > more.s",
     "echo .long 2 > more.s", BY_NOBODY},
    {"data, by a line #ident",
     FROM_LIBRARY "#ident \"x\\\"\\n.pushsection .rodata\\n.globl part_value\\n"
                  ".type part_value,@object\\n.size part_value,4\\npart_value: .incbin \\\"data\\\""
                  "\\n.popsection\\n.ident \\\"y\"\n",
     "", DATA("1"), DATA("2"), BY_NOBODY},
    {"the linker of -B", FROM_LIBRARY, "-B%s/first/", LIBRARY("1") " && " LINKER("first", "lib.o"),
     OTHER_LINKER("first"), BY_NOBODY},
};

static const char *flags_of(const way_t *way) { return text(way->flags, folder, folder); }

static int file_has(const char *name, const char *words) {
  oak_buffer_t said = {0};
  assert_int_equal(oak_buffer_read(&said, in_folder(name)), 0);
  const int has = strstr(oak_buffer_get(&said), words) != NULL;
  oak_buffer_free(&said);
  return has;
}

static int way_value(const way_t *way) {
  const int library = strstr(way->source, "part_value") != NULL;
  oak_device_t *dev =
      open_device(strcmp(way->name, "the compiler") ? "" : in_folder("own-cc"), flags_of(way));
  oak_module_t *module;
  int value = 0;
  silence();
  const oak_status_t status = build(dev, NULL, &module);
  expect_said(way->by == BY_NOBODY ? "compiled again in every run" : "");
  if (way->by == SEEN && file_has("said", "compiled again")) fail_msg("%s", way->name);
  if (status != OAK_OK) fail_msg("%s: %s", way->name, oak_last_error());
  assert_int_equal(
      oak_device_constant(dev, module, library ? "part_value" : "value", &value, sizeof value),
      OAK_OK);
  oak_device_unload(dev, &module);
  oak_device_close(&dev);
  return value;
}

static void test_ways(void **state) {
  (void)state;
  char before[4096];
  snprintf(before, sizeof before, "%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
  setenv("CPATH", in_folder("path"), 1);
  assert_int_equal(chdir(folder), 0); /* where the assembler looks for files */
  setenv("PATH", text("%s:%s", in_folder("path"), before), 1);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    const way_t *way = &ways[i];
    write_script("own-cc", "exec cc \"$@\"");
    write_file("value.c", way->source);
    shell(text("cd %s && %s && chmod 0700 own-cc", folder, way->one));
    const int one = way_value(way);
    shell(text("cd %s && %s", folder, way->two));
    const int two = way_value(way);
    if (one != 1 || two != 2) fail_msg("%s: %d, then %d", way->name, one, two);
  }
  assert_int_equal(chdir("/"), 0);
  unsetenv("CPATH");
  setenv("PATH", before, 1);
}

/** A flag far behind others counts too. */
static void test_long_flags(void **state) {
  (void)state;
  char flags[10000] = "";
  write_file("value.c", CONSTANT);
  for (int i = 0; i < 900; i++) memcpy(flags + strlen(flags), "-DUNUSED ", sizeof "-DUNUSED ");
  assert_int_equal(value_with("", text("%s-DVALUE=1", flags)), 1);
  assert_int_equal(value_with("", text("%s-DVALUE=2", flags)), 2);
}

/** A source that changes during its compilation: the cache never has the kernel of one text
 * under the key of the other. */
static void test_change_meanwhile(void **state) {
  (void)state;
  write_script("own-cc", text("case \" $* \" in *' -E '*) ;; *' -shared '*) test -e %s/once || "
                              "echo '#define VALUE 2' > %s/part.h; touch %s/once ;; esac\n"
                              "exec cc \"$@\"",
                              folder, folder, folder));
  assert_int_equal(value_with(in_folder("own-cc"), ""), 2);
  write_file("part.h", "#define VALUE 1\n");
  assert_int_equal(value_with(in_folder("own-cc"), ""), 1);
  write_file("part.h", "#define VALUE __TIME__[0]\n");
  write_file("value.c",
             "#include \"part.h\"\nconst char *time = __TIME__;\n"
             "OAK_CONST_DATA int value = 7;\n");
  assert_int_equal(value_with(in_folder("own-cc"), ""), 7);
}

/** A warm cache needs no compiler, until a source changes. */
static void test_no_compiler(void **state) {
  (void)state;
  char path[4096], told[512];
  oak_module_t *module;
  assert_int_equal(value_with("", ""), 1);
  snprintf(path, sizeof path, "%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
  setenv("PATH", folder, 1);
  oak_device_t *dev = open_device("", "");
  int value = value_on(dev);
  oak_device_ops(dev)->describe(dev, told, sizeof told);
  write_file("part.h", "#define VALUE 2\n");
  oak_status_t status = build(dev, NULL, &module);
  oak_device_close(&dev);
  setenv("PATH", path, 1);
  assert_int_equal(value, 1);
  assert_non_null(strstr(told, "no C compiler"));
  assert_int_equal(status, OAK_ERR_BUILD);
  expect_words("cc gcc clang");
  expect_words("install");
}

/** Build value.c after text that includes part.h of a folder. Returns how many entries were
 * compiled; -1: the build failed. */
static int compiled_with(const char *compiler, const char *sub) {
  char text[4096];
  const char *path = in_folder("value.c");
  snprintf(text, sizeof text, "#define PART \"%s/%s/part.h\"\n", folder, sub);
  const oak_source_t source = {
      .name = "value", .define = defines, .ndefine = 4, .text = text, .file = &path, .nfile = 1};
  oak_device_t *dev = open_device(compiler, "");
  oak_module_t *module;
  int built, compiled;
  const oak_status_t status = oak_device_build(dev, &source, &module);
  oak_device_builds(dev, &built, &compiled);
  if (status == OAK_OK) oak_device_unload(dev, &module);
  oak_device_close(&dev);
  return status == OAK_OK ? compiled : -1;
}

/** The same sources in another folder have the same entry, with and without a compiler. */
static void test_moved_sources(void **state) {
  (void)state;
  char path[4096];
  write_file("value.c", "#include PART" CONSTANT);
  shell(
      text("cd %s && mkdir a b c && echo '#define VALUE 3' > a/part.h && cp a/part.h b && "
           "cp a/part.h c",
           folder));
  snprintf(path, sizeof path, "%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
  assert_int_equal(compiled_with("", "a"), 1);
  assert_int_equal(compiled_with("", "b"), 0);
  setenv("PATH", folder, 1);
  const int without = compiled_with("", "c");
  setenv("PATH", path, 1);
  assert_int_equal(without, 0);
  write_file("b/part.h", "#define VALUE 4\n");
  assert_int_equal(compiled_with("", "b"), 1);
}

/** Sources that hold the names of their files have an entry for each place. */
static void test_places(void **state) {
  (void)state;
  static const char *const name[] = {
      "#define PLACE __FILE__\n",
      "#define S_(x) #x\n#define S(x) S_(x)\n#define PLACE S(__FILE__)\n",
      "#include <assert.h>\n#define PLACE (assert(n), \"\")\n", "#define PLACE __builtin_FILE()\n"};
  write_file("value.c", "#include PART" CONSTANT
                        "const char *place(int n) { return n ? PLACE : there(n); }\n");
  shell(text("cd %s && mkdir a b", folder));
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    write_file("a/part.h", text("#define VALUE 3\n%s"
                                "static inline const char *there(int n) { return PLACE; }\n",
                                name[i]));
    shell(text("cp %s/a/part.h %s/b", folder, folder));
    for (int turn = 0; turn < 2; turn++) {
      assert_int_equal(compiled_with("", "a"), turn == 0);
      assert_int_equal(compiled_with("", "b"), turn == 0);
    }
  }
}

/** What linkers take from the environment. */
static void test_environment(void **state) {
  (void)state;
  write_file("value.c", FROM_LIBRARY);
  shell(
      text("cd %s && mkdir 1 2 && for n in 1 2; do echo \"const int part_value = $n;\" > lib.c && "
           "cc -shared -fPIC lib.c -o $n/libpart.so; done",
           folder));
  for (int n = 1; n <= 2; n++) {
    oak_module_t *module;
    int value;
    setenv("LD_RUN_PATH", text("%s/%d", folder, n), 1);
    oak_device_t *dev = open_device("", text("-L%s/1 -lpart", folder));
    if (build(dev, NULL, &module) != OAK_OK) fail_msg("%s", oak_last_error());
    assert_int_equal(oak_device_constant(dev, module, "part_value", &value, sizeof value), OAK_OK);
    assert_int_equal(value, n);
    oak_device_unload(dev, &module);
    oak_device_close(&dev);
  }
  unsetenv("LD_RUN_PATH");

  /* No other variable reaches a compiler. */
  write_file("value.c", CONSTANT);
  write_script("own-cc", "exec cc -DVALUE=${OWN_VALUE:-7} \"$@\"");
  setenv("OWN_VALUE", "1", 1);
  assert_int_equal(value_with(in_folder("own-cc"), ""), 7);
  unsetenv("OWN_VALUE");
}

/* ---- what is refused */

static void test_constants(void **state) {
  (void)state;
  static const char *const bad[] = {
      "-DOAK_NPREV=1",        "-O1 -D OAK_N=4",        "-UOAK_DIM",          "-Wp,-DOAK_N=4",
      "--define-macro=OAK_N", "-U OAK_EXACT_DIVISION", "-DOAK_CELL_LOOPS_=1"};
  const oak_device_options_t plain = {.threads = 1};
  oak_device_t *dev;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const oak_device_options_t options = {.threads = 1, .flags = bad[i]};
    if (oak_device_open(MPI_COMM_WORLD, "cpu", &options, &dev) != OAK_ERR_INPUT)
      fail_msg("%s is taken", bad[i]);
    expect_words("device.flags");
    expect_words("OAK_CELL_LOOPS");
  }
  const oak_device_options_t in_file = {.threads = 1, .flags = "-O1 @flags"};
  assert_int_equal(oak_device_open(MPI_COMM_WORLD, "cpu", &in_file, &dev), OAK_ERR_INPUT);
  expect_words("device.flags: @flags: write the flags here");
  setenv("OAK_CFLAGS", "-DOAK_N=4", 1);
  assert_int_equal(oak_device_open(MPI_COMM_WORLD, "cpu", &plain, &dev), OAK_ERR_INPUT);
  expect_words("OAK_CFLAGS");
  unsetenv("OAK_CFLAGS");
  assert_int_equal(value_with("", "-DOAK_CELL_LOOPS=1 -D OAK_EXACT_DIVISION -DMINE_OAK_N=2"), 1);
}

static void test_regular_files(void **state) {
  (void)state;
  oak_device_t *dev = open_device("", "");
  oak_module_t *module;
  alarm(80);
  assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
  assert_int_equal(build(dev, "/dev/zero", &module), OAK_ERR_FILE);
  expect_words("'/dev/zero'");
  expect_words("no regular file");
  assert_int_equal(build(dev, in_folder("fifo"), &module), OAK_ERR_FILE);
  write_file("value.c", "#include \"/dev/zero\"\n");
  assert_int_equal(build(dev, NULL, &module), OAK_ERR_FILE);
  expect_words("value.c includes");
  write_file("value.c", "#define F \"fifo\"\n#include F\n");
  assert_int_equal(build(dev, NULL, &module), OAK_ERR_FILE);
  expect_words("fifo");
  alarm(0);
  oak_device_close(&dev);
}

/* ---- what a compiler may do */

/** Build with a compiler that acts when it compiles. */
static oak_status_t build_by(const char *act, oak_module_t **module, oak_device_t **dev) {
  write_script("own-cc", text("case \" $* \" in *' -shared '*) %s ;; esac\nexec cc \"$@\"", act));
  *dev = open_device(in_folder("own-cc"), "");
  return build(*dev, NULL, module);
}

static int runs(const char *pid_file) {
  oak_buffer_t pid = {0};
  if (oak_buffer_read(&pid, in_folder(pid_file)) != 0) return 0;
  int number = atoi(oak_buffer_get(&pid));
  oak_buffer_free(&pid);
  /* Nobody may have asked yet how it ended. */
  int there = oak_buffer_read(&pid, text("/proc/%d/stat", number)) == 0 && pid.length > 0;
  const char *state = there ? strrchr(pid.data, ')') : NULL;
  there = state && strncmp(state, ") Z", 3) != 0;
  oak_buffer_free(&pid);
  return there;
}

static void expect_ended(const char *pid_file) {
  for (double start = seconds(); seconds() < start + 50; usleep(10000))
    if (!runs(pid_file)) return;
  fail_msg("%s still runs", pid_file);
}

static void test_hang(void **state) {
  (void)state;
  oak_device_t *dev;
  oak_module_t *module;
  double start = seconds();
  setenv("OAK_BUILD_LIMIT", "0.5", 1);
  alarm(80);
  assert_int_equal(build_by(text("sleep 100 & echo $! > %s/pid; wait", folder), &module, &dev),
                   OAK_ERR_BUILD);
  alarm(0);
  unsetenv("OAK_BUILD_LIMIT");
  expect_words("0.5 s");
  expect_words("OAK_BUILD_LIMIT");
  assert_true(seconds() - start < 50);
  expect_ended("pid");
  oak_device_close(&dev);
}

/** A compiler that only waits is stopped long before its time limit. One that computes as long
 * is not. */
static void test_stands_still(void **state) {
  (void)state;
  oak_device_t *dev;
  oak_module_t *module;
  if (!getenv("OAK_TEST_LONG")) SKIP_CASE("a part of make test-long");
  alarm(200);
  assert_int_equal(build_by(text("sleep 500 & echo $! > %s/pid; wait", folder), &module, &dev),
                   OAK_ERR_BUILD);
  expect_words("processor time");
  expect_words("OAK_BUILD_LIMIT");
  expect_ended("pid");
  oak_device_close(&dev);
  assert_int_equal(build_by("timeout 65 sh -c 'while :; do :; done'; exit 3", &module, &dev),
                   OAK_ERR_BUILD);
  alarm(0);
  assert_null(strstr(oak_last_error(), "processor time"));
  oak_device_close(&dev);
}

/** What ends well, but is no compiler. */
static void test_writes_nothing(void **state) {
  (void)state;
  oak_device_t *dev = open_device("/bin/true", "");
  oak_module_t *module;
  assert_int_equal(build(dev, NULL, &module), OAK_ERR_BUILD);
  expect_words("the compiler /bin/true ended without an error, but wrote nothing");
  expect_words("OAK_CC");
  oak_device_close(&dev);
  assert_int_equal(build_by("exit 0", &module, &dev), OAK_ERR_BUILD);
  expect_words("own-cc ended without an error, but wrote nothing");
  oak_device_close(&dev);
}

/** A limit of file sizes is not a full disk. */
static void test_file_limit(void **state) {
  (void)state;
  struct rlimit before, low;
  oak_module_t *module;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  low = (struct rlimit){20480, before.rlim_max};
  void (*action)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
  oak_device_t *dev = open_device("cc", "");
  const oak_status_t st = build(dev, NULL, &module);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, action);
  assert_int_equal(st, OAK_ERR_FILE);
  expect_words("files may have at most 20480 bytes; raise this limit (ulimit -f)");
  oak_device_close(&dev);
}

/** Of several messages, those that help come first. */
static void test_messages(void **state) {
  (void)state;
  static const char *const said[][2] = {
      {"a.c: In function 'f':\na.c:1:2: error: wrong\nmore\n", "\na.c:1:2: error: wrong\nmore"},
      {"warning\n/usr/bin/ld: cannot find -lomp\ncollect2: error: ld returned 1 exit status\n",
       "\n/usr/bin/ld: cannot find -lomp\ncollect2: error: ld returned 1 exit status"},
      {"warning\n/usr/bin/ld: cannot find -lomp: No such file or directory\n"
       "clang: error: linker command failed with exit code 1 (use -v to see invocation)\n",
       "\n/usr/bin/ld: cannot find -lomp: No such file or directory\n"
       "clang: error: linker command failed with exit code 1 (use -v to see invocation)"},
      {"ld.lld: error: unable to find library -lomp\nclang: error: linker command failed\n",
       "\nld.lld: error: unable to find library -lomp\nclang: error: linker command failed"}};
  for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
    oak_buffer_t quote = {0};
    oak_compiler_quote(&quote, said[i][0], "a");
    assert_string_equal(oak_buffer_get(&quote), said[i][1]);
    oak_buffer_free(&quote);
  }
}

static void test_flood(void **state) {
  (void)state;
  oak_device_t *dev;
  oak_module_t *module;
  alarm(80);
  assert_int_equal(build_by("exec yes >&2", &module, &dev), OAK_ERR_BUILD);
  expect_words("16 MiB");
  oak_device_close(&dev);
  assert_int_equal(build_by("exec yes", &module, &dev), OAK_ERR_BUILD);
  alarm(0);
  expect_words("MiB");
  oak_device_close(&dev);
}

/** A process that the compiler leaves behind keeps the pipe open. oak does not wait for it, and
 * stops it. */
static void test_left_behind(void **state) {
  (void)state;
  oak_device_t *dev;
  oak_module_t *module;
  double start = seconds();
  alarm(80);
  if (build_by(text("sleep 100 & echo $! > %s/pid", folder), &module, &dev) != OAK_OK)
    fail_msg("%s", oak_last_error());
  alarm(0);
  assert_true(seconds() - start < 50);
  expect_ended("pid");
  oak_device_unload(dev, &module);
  oak_device_close(&dev);
}

/** The compiler ends when its run is killed, although a killed run cannot stop it. */
static void test_ends_with_oak(void **state) {
  (void)state;
  pid_t run = fork();
  if (run == 0) {
    oak_words_t command = {0};
    oak_buffer_t said = {0};
    int code;
    oak_words_split(&command, "/bin/sh -c");
    oak_words_add(
        &command, "%s",
        text("echo $$ > %s/first; sleep 100 & echo $! > %s/second; wait", folder, folder));
    oak_process_run(&command, NULL, &said, &code);
    _exit(0);
  }
  assert_true(run > 0);
  for (double start = seconds(); !runs("second") && seconds() < start + 50;) usleep(10000);
  assert_true(runs("first") && runs("second"));
  kill(run, SIGKILL);
  waitpid(run, NULL, 0);
  expect_ended("first");
  expect_ended("second");
}

/* ---- main */

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_ways, setup),
      cmocka_unit_test_setup(test_long_flags, setup),
      cmocka_unit_test_setup(test_change_meanwhile, setup),
      cmocka_unit_test_setup(test_no_compiler, setup),
      cmocka_unit_test_setup(test_moved_sources, setup),
      cmocka_unit_test_setup(test_places, setup),
      cmocka_unit_test_setup(test_environment, setup),
      cmocka_unit_test_setup(test_constants, setup),
      cmocka_unit_test_setup(test_regular_files, setup),
      cmocka_unit_test_setup(test_hang, setup),
      cmocka_unit_test_setup(test_stands_still, setup),
      cmocka_unit_test_setup(test_writes_nothing, setup),
      cmocka_unit_test_setup(test_file_limit, setup),
      cmocka_unit_test(test_messages),
      cmocka_unit_test_setup(test_flood, setup),
      cmocka_unit_test_setup(test_left_behind, setup),
      cmocka_unit_test_setup(test_ends_with_oak, setup),
  };
  return CACHE_TEST_MAIN(tests);
}
