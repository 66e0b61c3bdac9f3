/* SPDX-License-Identifier: GPL-2.0-or-later
 * The commands of the oak program. Each gets the arguments after its name and returns the exit
 * code, the same on every rank. */
#ifndef OAK_COMMANDS_H
#define OAK_COMMANDS_H

#include <limits.h>
#include <oak.h>

int oak_command_run(int argc, char **argv, int rank);
int oak_command_check(int argc, char **argv, int rank);
int oak_command_ls(int argc, char **argv, int rank);
int oak_command_line(int argc, char **argv, int rank);
int oak_command_slice(int argc, char **argv, int rank);
int oak_command_diff(int argc, char **argv, int rank);
int oak_command_plot(int argc, char **argv, int rank);
int oak_command_bench(int argc, char **argv, int rank);
int oak_command_info(int argc, char **argv, int rank);
int oak_command_params(int argc, char **argv, int rank);
int oak_command_help(int argc, char **argv, int rank);
int oak_command_editor(int argc, char **argv, int rank);
/** Run a command by its name. \return its exit code, -1 if there is no such command. */
int oak_run_command(const char *name, int argc, char **argv, int rank);
/** Print the names of all commands, blank-separated. */
void oak_print_commands(FILE *stream);
void oak_print_version(void);
/** The parameter file that \a name means: the file of that name, or else one that comes with oak.
 * Collective on MPI_COMM_WORLD; \a name agrees on all ranks.
 * \param [out] path  the same on all ranks.
 * \return OAK_ERR_FILE if there is neither, OAK_ERR_INPUT if the name is too long. */
oak_status_t oak_find_parameters(const char *name, char path[PATH_MAX], int rank);
/** Print the last error on rank 0. \return the exit code of a failed run. */
int oak_report_failure(int rank);

#endif
