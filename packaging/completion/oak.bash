# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for bash: commands, options, keys, values and topics of oak; otherwise names of files.
_oak() {
  local words line=${COMP_LINE:0:COMP_POINT}
  read -ra words <<< "$line"
  [[ $line != *" " ]] || words+=("")
  mapfile -t COMPREPLY < <(oak completion "${words[@]:1}" 2>/dev/null)
  [[ ${COMPREPLY[0]-} != *[=/] ]] || compopt -o nospace
  # bash takes = for a word of its own.
  [[ ${words[-1]} != *=* ]] || COMPREPLY=("${COMPREPLY[@]#*=}")
}
complete -o default -o bashdefault -F _oak oak
