/* SPDX-License-Identifier: GPL-2.0-or-later
 * The commit that this library was built from. CMakeLists.txt defines OAK_COMMIT: from git, or in a
 * release tarball from its file COMMIT. */
#include <oak.h>

const char *oak_commit(void) { return OAK_COMMIT; }
