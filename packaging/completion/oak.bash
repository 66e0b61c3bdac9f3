# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for bash: commands, options and keys of oak; otherwise names of files.
_oak() {
  local IFS=$'\n'
  mapfile -t COMPREPLY < <(oak completion "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
}
complete -o default -o bashdefault -F _oak oak
