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
int oak_command_editor(int argc, char **argv, int rank);
/** Print the names of the pages of the documentation, with a blank before each. Rank 0 alone. */
void oak_print_pages(FILE *stream);
/** Print what the parameters and the pages say about a topic. Rank 0 alone. \a command: the topic
 * is also a command, whose help has been printed. \return 0 if there is neither. */
int oak_print_topic(const char *topic, const oak_params_t *params, int command);
void oak_print_version(void);
/** The parameter file that \a name means: the file of that name, or else one that comes with oak.
 * Collective on MPI_COMM_WORLD; \a name agrees on all ranks.
 * \param [out] path  the same on all ranks.
 * \return OAK_ERR_FILE if there is neither, OAK_ERR_INPUT if the name is too long. */
oak_status_t oak_find_parameters(const char *name, char path[PATH_MAX], int rank);
/** Print the last error on rank 0. \return the exit code of a failed run. */
int oak_report_failure(int rank);

#endif
