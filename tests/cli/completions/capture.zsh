# Prints the candidates that an interactive zsh gets from compinit: capture.zsh FOLDER LINE...
# FOLDER has the function _olmap. Replaces compadd, which receives all candidates.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell 'compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
    typeset -a found
    builtin compadd -A found "$@"
    for word in $found; do print -r -- "<$word>"; done
}'
zpty -w shell 'show() { compstate[insert]=; compstate[list]=; print -r -- FINISHED }
capture() { comppostfuncs=(show); _main_complete }
zle -C capture complete-word capture; bindkey "^X" capture; echo READY'
zpty -r shell output '*READY*READY*'
for line in "${@[2,-1]}"; do
    zpty -n -w shell $'\C-U'"$line"$'\C-X'
    zpty -r shell output '*FINISHED*'
    print -r -- "line $line"
    # The line itself is echoed before the candidates.
    print -r -- "$output" | grep -o '<[^<>]*>' | sort -u
done
