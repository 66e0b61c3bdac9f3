/* SPDX-License-Identifier: GPL-2.0-or-later
 * Signals by which people and batch systems ask a run to end. */
#include <signal.h>

#include "run/saving.h"

static const struct {
  int signal;
  oak_ask_t ask;
} known[] = {{SIGUSR1, OAK_ASK_USR1}, {SIGTERM, OAK_ASK_TERM}, {SIGINT, OAK_ASK_INT}};
enum { KNOWN = sizeof known / sizeof *known };

static volatile sig_atomic_t came[KNOWN];
static struct sigaction before[KNOWN];

static void note(int signal) {
  for (int i = 0; i < KNOWN; i++)
    if (known[i].signal == signal) came[i] = 1;
}

void oak_signals_catch(void) {
  struct sigaction action = {.sa_handler = note};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < KNOWN; i++) {
    came[i] = 0;
    /* A user who presses Ctrl-C again does not want to wait. Batch systems may repeat SIGUSR1. */
    action.sa_flags = SA_RESTART | (known[i].signal == SIGUSR1 ? 0 : (int)SA_RESETHAND);
    sigaction(known[i].signal, &action, &before[i]);
  }
}

void oak_signals_release(int ignore) {
  struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < KNOWN; i++) sigaction(known[i].signal, ignore ? &action : &before[i], NULL);
}

oak_ask_t oak_signals_asks(void) {
  oak_ask_t ask = OAK_ASK_NONE;
  for (int i = 0; i < KNOWN; i++)
    if (came[i] && known[i].ask > ask) ask = known[i].ask;
  return ask;
}
