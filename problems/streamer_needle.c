/* SPDX-License-Identifier: GPL-2.0-or-later
 * The discharge of streamer.c with electrodes that are connected to the upper end of the domain:
 * all bodies [body.NAME] that are electrodes have its voltage. Physics: streamer. */

#include "problems/streamer.c"

POTENTIAL(at, body) {
  (void)body;
  return upper_voltage(at);
}
