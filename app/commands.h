/* SPDX-License-Identifier: GPL-2.0-or-later
 * The commands of the oak program. Each gets the arguments after its name and returns the exit
 * code, the same on every rank. */
#ifndef OAK_COMMANDS_H
#define OAK_COMMANDS_H

int oak_command_run(int argc, char **argv, int rank);
int oak_command_bench(int argc, char **argv, int rank);
int oak_command_info(int argc, char **argv, int rank);
int oak_command_params(int argc, char **argv, int rank);
void oak_print_version(void);
/** Print the last error on rank 0. \return the exit code of a failed run. */
int oak_report_failure(int rank);

#endif
