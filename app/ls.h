/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak ls for programs. Private to app. */
#pragma once

#include "look.h"

enum { OAK_LS_LEVELS = 64 };

/** Print what oak ls says of a plotfile as an object of JSON, without a line feed. If it cannot be
 * read, the object has the message. \return 1 if it can be read. */
int oak_ls_json_plotfile(const char *path);
/** Print all plotfiles of a run, and its table diagnostics.csv. \return the number of damaged
 * plotfiles. */
int oak_ls_json_run(const char *path, const look_list_t *list);
