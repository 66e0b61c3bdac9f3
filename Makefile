# SPDX-License-Identifier: GPL-2.0-or-later
# The front door: `make` lists what there is. CMake does the building; see docs/ for doing it by hand.
BUILD ?= build
SANITIZE ?= $(BUILD)_sanitize
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
CMAKE_FLAGS ?=
# The option stays in CMake's cache, so each target says what it wants; nothing: what the cache says.
BUILD_TESTS ?= ON

.DEFAULT_GOAL := help
.PHONY: help deps test-deps verify-deps dev-deps build demo gallery test test-all test-long test-mpich verify sanitize build-sanitize fuzz valgrind install site format \
  check-format lint info dist wheel deb deb-deps clean

# Debian 12 and later, Ubuntu 22.04 and later.
PACKAGES := gcc libc6-dev make cmake pkg-config libopenmpi-dev openmpi-bin libp4est-dev libpng-dev
# For VTKHDF files. `make demo` writes none, and is faster without.
HDF5_PACKAGES := libhdf5-dev
TEST_PACKAGES := clang libomp-dev libcmocka-dev $(HDF5_PACKAGES) python3 python3-vtk9/python3-paraview python3-numpy python3-h5py python3-venv python3-pip \
  python3-matplotlib python3-xarray python3-mpi4py mypy util-linux git valgrind locales
# MPICH, and what builds p4est with it.
MPICH_PACKAGES := mpich libmpich-dev autoconf automake libtool xz-utils
VERIFY_PACKAGES := python3 python3-numpy python3-matplotlib
DEV_PACKAGES := clang-format clang-tidy cppcheck git
DEB_PACKAGES := dpkg-dev file
SITE_PACKAGES := python3-sphinx python3-myst-parser furo libjs-mathjax
VERSION = $(shell sed -n 's/^#define OAK_VERSION "\(.*\)"/\1/p' include/oak.h)

# Any number of cores, as root in a container too; cores are shared with whatever else runs. All ranks are on one host
# and need no network: with tcp, Open MPI 5 may warn "Unable to find reachable pairing"; with ofi, a program takes a second
# more to end.
MPI_ENV := OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl=^tcp,ofi OMPI_MCA_pml=ob1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

help:
	@echo "oak: octree adaptive kernels"
	@echo
	@echo "  make demo            install packages, build, run a Rayleigh-Taylor instability (1 to 2 minutes)"
	@echo "  make gallery         install packages, build, run all problems, make gallery/index.html with a picture of each"
	@echo "  make test            install packages, build, run the tests (ten minutes on two cores)"
	@echo "  make test-all        more tests: more ranks, other devices, curved meshes in all combinations, sanitizers"
	@echo "  make test-long       the solver on 8 to 128 ranks, more than there are cores (some ten minutes)"
	@echo "  make test-mpich      a part of the tests with MPICH, in $(BUILD)_mpich/; builds p4est, or takes P4EST=FOLDER"
	@echo "  make verify          install packages, build, measure accuracy on standard problems, write a report (half an hour)"
	@echo "  make build           build the library, the oak command, examples and tests in $(BUILD)/"
	@echo "  make deps            install the Debian packages that are missing (root or sudo)"
	@echo "  make install         install to PREFIX ($(PREFIX)): make install PREFIX=\$$HOME/.local"
	@echo "  make site            make the documentation as a site: site/index.html"
	@echo "  make dist            write dist/oak-$(VERSION).tar.gz, the committed sources, which build without git"
	@echo "  make wheel           build a wheel with oak and its Python package, dist/oak_amr-$(VERSION)-*.whl, for pip install"
	@echo "  make deb             build a Debian package, dist/oak_$(VERSION)_*.deb"
	@echo "  make sanitize        unit tests with address and undefined-behaviour sanitizers, kernels included"
	@echo "  make fuzz            parameter files, command lines, plotfiles, checkpoints made up at random (RUNS=$(RUNS) each)"
	@echo "  make valgrind        a few tests of the solver and of output on 1 and 4 ranks under valgrind (some minutes)"
	@echo "  make format          format all C code; check-format only says what would change"
	@echo "  make lint            clang-tidy, cppcheck, gcc's analyzer and rules of this project"
	@echo "  make info            what was found on this machine: compilers, devices, paths"
	@echo "  make clean           remove what was built, output/, gallery/, site/ and verify_report/"
	@echo
	@echo "Variables: BUILD, JOBS ($(JOBS)), PREFIX, CMAKE_FLAGS (such as -DCMAKE_BUILD_TYPE=Debug), CASES (of verify), PROBLEMS (of gallery)"

deps:
	@tools/deps.sh $(PACKAGES) $(HDF5_PACKAGES)
test-deps:
	@tools/deps.sh $(PACKAGES) $(TEST_PACKAGES)
verify-deps:
	@tools/deps.sh $(PACKAGES) $(VERIFY_PACKAGES)
dev-deps:
	@tools/deps.sh $(PACKAGES) $(DEV_PACKAGES)

# CMake refuses a build folder that was made in another place, as after the clone was moved or copied.
build:
	@made_for() { sed -n "s/^$$1:INTERNAL=//p" $(BUILD)/CMakeCache.txt; }; \
	if [ -e $(BUILD)/CMakeCache.txt ] && \
	  ! { [ "$$(made_for CMAKE_HOME_DIRECTORY)" -ef . ] && [ "$$(made_for CMAKE_CACHEFILE_DIR)" -ef $(BUILD) ]; }; then \
	  echo "$(BUILD)/ was made in another folder: everything is built again"; \
	  rm -rf $(BUILD)/CMakeCache.txt $(BUILD)/CMakeFiles; \
	fi
	@cmake -S . -B $(BUILD) -DCMAKE_EXPORT_COMPILE_COMMANDS=ON $(if $(BUILD_TESTS),-DOAK_BUILD_TESTS=$(BUILD_TESTS)) $(CMAKE_FLAGS) \
	  >$(BUILD).log 2>&1 || { cat $(BUILD).log; \
	  ! grep -qE 'Could NOT find|No CMAKE_C_COMPILER|cmake: .*not found' $(BUILD).log || \
	    echo "'make deps' installs what is missing on Debian and Ubuntu" >&2; rm -f $(BUILD).log; exit 1; }
	@mv $(BUILD).log $(BUILD)/configure.log
	@cmake --build $(BUILD) -j $(JOBS) $(if $(TARGET),--target $(TARGET))

demo:
	@tools/deps.sh $(PACKAGES)
	@$(MAKE) --no-print-directory build BUILD_TESTS=OFF
	@OMP_NUM_THREADS=$(JOBS) $(BUILD)/oak run problems/rayleigh_taylor.ini --overwrite
	@echo
	@echo "Pictures:   $$(ls output/rayleigh_taylor/*.png | head -1) to $$(ls output/rayleigh_taylor/*.png | tail -1)"
	@echo "ParaView:   open $$(ls -d output/rayleigh_taylor/plt* | tail -1) (AMReX/BoxLib grid reader)"
	@echo "Totals:     output/rayleigh_taylor/diagnostics.csv"
	@echo
	@echo "Try next:   $(BUILD)/oak run problems/rayleigh_taylor.ini mesh.max_level=6 run.end_time=1 output.folder=output/finer"
	@echo "            $(BUILD)/oak run problems/rayleigh_taylor_3d.ini run.end_time=0.3"
	@echo "            $(BUILD)/oak run examples/2_problem/jet.ini     a problem in one C file: examples/2_problem/jet.c"
	@echo "            $(BUILD)/oak params                             all parameters; $(BUILD)/oak info"

# One test more than there are cores: often a test waits. One case of each kind.
test: test-deps
	@$(MAKE) --no-print-directory build
	@OAK_TEST_SHORT=1 tools/run_tests.sh $$(($(JOBS) + 1)) $(BUILD)

# The tests of `make test` too, with all cases.
test-all: test-deps
	@$(MAKE) --no-print-directory build
	@$(MAKE) --no-print-directory build-sanitize
	@tools/run_tests.sh $$(($(JOBS) + 1)) "$(BUILD):-C all" "$(SANITIZE):-L unit"

test-long: test-deps
	@$(MAKE) --no-print-directory build
	@tools/run_tests.sh 1 "$(BUILD):-C long -L long"

# Debian's p4est is linked with Open MPI, so one is built with MPICH, unless P4EST says where there is one. Kernels do not
# depend on MPI: those of `make test` serve. One test at a time: ranks of MPICH use their cores while they wait.
MPICH := $(BUILD)_mpich
MPICH_P4EST = $(or $(P4EST),$(abspath $(MPICH))/p4est/installed)
MPICH_TESTS := test_(base_.*|mesh|halo_field|io_(plotfile|checkpoint)|solver_(ghosts|refine|ranks|ranks_staged))_np2|app_help|install
test-mpich:
	@tools/deps.sh $(PACKAGES) $(TEST_PACKAGES) $(MPICH_PACKAGES)
	@$(if $(P4EST),,tools/p4est_mpich.sh $(MPICH)/p4est $(JOBS))
	@$(MAKE) --no-print-directory build BUILD=$(MPICH) CMAKE_FLAGS="-DMPI_C_COMPILER=mpicc.mpich \
	  -DMPIEXEC_EXECUTABLE=$$(command -v mpiexec.mpich) -DP4EST_ROOT=$(MPICH_P4EST) -DCMAKE_INSTALL_RPATH=$(MPICH_P4EST)/lib \
	  -DOAK_TEST_CACHE=$(abspath $(BUILD))/kernel_cache $(CMAKE_FLAGS)"
	@tools/run_tests.sh 1 "$(MPICH):-R ^($(MPICH_TESTS))$$"

# PROBLEMS: only these; GALLERY_FLAGS: --coarser 0 takes the levels of the parameter files.
gallery: deps
	@tools/deps.sh python3 python3-numpy
	@$(MAKE) --no-print-directory build BUILD_TESTS=
	@/usr/bin/python3 tools/gallery.py --oak $(BUILD)/oak --out gallery $(GALLERY_FLAGS) $(PROBLEMS)

# The report is made of failing cases too.
verify: verify-deps
	@$(MAKE) --no-print-directory build
	@rm -rf verify_report
	@$(MPI_ENV) mpirun -n $(JOBS) $(BUILD)/tests/verify/oak_verify --full --out verify_report $(CASES); \
	  /usr/bin/python3 tests/verify/report.py verify_report

build-sanitize:
	@$(MAKE) --no-print-directory build BUILD=$(SANITIZE) TARGET=unit_tests \
	  CMAKE_FLAGS="-DOAK_SANITIZE=ON -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG='-g1 -O1' $(CMAKE_FLAGS)"

# Clang's fuzzer where there is clang: it looks for inputs that reach new code. Otherwise mutations at random.
FUZZ ?= $(BUILD)_fuzz
RUNS ?= 1000000
fuzz: test-deps
	@if command -v clang >/dev/null; then flags="-DOAK_FUZZ=ON -DCMAKE_C_COMPILER=clang"; \
	else echo "clang is missing: mutations at random, blind to what they reach"; fi; \
	$(MAKE) --no-print-directory build BUILD=$(FUZZ) \
	  CMAKE_FLAGS="-DOAK_SANITIZE=ON $$flags -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG='-g1 -O1' $(CMAKE_FLAGS)"
	@tools/fuzz.sh $(JOBS) $(FUZZ) $(RUNS) $(CASES)

sanitize: test-deps build-sanitize
	@tools/run_tests.sh $(JOBS) "$(SANITIZE):-L unit"

# Kernels without AVX-512, which valgrind does not know.
valgrind: test-deps build
	@command -v valgrind >/dev/null || { echo "valgrind is missing (Debian, Ubuntu: apt-get install valgrind)" >&2; exit 1; }
	@tools/valgrind.sh $(BUILD) $(CASES)

# In a folder that is new: without tests.
install info wheel: BUILD_TESTS = $(if $(wildcard $(BUILD)/CMakeCache.txt),,OFF)
install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

# Links that lead nowhere are errors.
site:
	@tools/deps.sh $(SITE_PACKAGES)
	@tools/site/make_site.sh . site
	@echo "site/index.html"

# The tarball knows its commit by the file COMMIT.
dist:
	@mkdir -p dist
	@git rev-parse --short=12 HEAD >dist/COMMIT
	@git archive --format=tar.gz --prefix=oak-$(VERSION)/ --add-file=dist/COMMIT -o dist/oak-$(VERSION).tar.gz HEAD
	@rm dist/COMMIT
	@echo "dist/oak-$(VERSION).tar.gz"

# The wheel is for the system that it is made on, and holds no copies of MPI, p4est and libpng.
wheel: build
	@rm -rf dist/wheel && mkdir -p dist
	@cmake --install $(BUILD) --prefix dist/wheel >/dev/null
	@python3 python/backend.py dist/wheel dist
	@rm -r dist/wheel

deb-deps:
	@tools/deps.sh $(PACKAGES) $(HDF5_PACKAGES) $(DEB_PACKAGES)
deb: deb-deps
	@$(MAKE) --no-print-directory build BUILD=build_deb BUILD_TESTS=OFF CMAKE_FLAGS="-DCMAKE_INSTALL_PREFIX=/usr -DOAK_DEBIAN=ON \
	  -DCMAKE_INSTALL_RPATH_USE_LINK_PATH=OFF $(CMAKE_FLAGS)"
	@mkdir -p dist
	@cd build_deb && cpack -G DEB -B "$(CURDIR)/dist" >cpack.log 2>&1 || { cat cpack.log; exit 1; }
	@rm -rf dist/_CPack_Packages
	@ls dist/oak_$(VERSION)*.deb

C_FILES = $(shell git ls-files '*.c' '*.h')
# Twice: one pass may leave a macro's continuation lines to the next.
format: dev-deps
	@clang-format -i --style=file $(C_FILES) && clang-format -i --style=file $(C_FILES)

check-format: dev-deps
	@clang-format --dry-run -Werror --style=file $(C_FILES)

lint: dev-deps build
	@tools/lint.sh
	@tools/analyze.sh $(JOBS)
	@git ls-files 'src/*.c' 'app/*.c' 'examples/*main.c' | grep -v mesh/forest.c | \
	  xargs -P $(JOBS) -n 4 clang-tidy -p $(BUILD) --quiet 2>/dev/null

info: build
	@$(MPI_ENV) $(BUILD)/oak info
	@cmake --version | head -1
	@grep -E '^(CMAKE_BUILD_TYPE|CMAKE_C_COMPILER|P4EST_LIBRARY|SC_LIBRARY|MPI_C_COMPILER):' $(BUILD)/CMakeCache.txt

clean:
	@rm -rf $(BUILD) $(SANITIZE) $(FUZZ) $(MPICH) build_deb dist output gallery site verify_report
