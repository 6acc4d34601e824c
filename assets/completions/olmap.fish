# Completion of olmap in fish. It asks olmap for the candidates.
# Load it with: olmap completions fish | source

function __olmap_complete
    set -l before (commandline --current-process --tokenize --cut-at-cursor)
    set -l token (commandline --current-token)
    set -l after (commandline --current-process --tokenize)
    set -l skipped (count $before)
    test -n "$token"; and set skipped (math $skipped + 1)
    set -e after[1..$skipped]
    set -l program $before[1]
    type --query -- "$program"; or set program olmap
    OLMAP_COMPLETE=fish OLMAP_COMPLETE_INDEX=(count $before) command $program -- $before "$token" $after 2>/dev/null
end

complete --command olmap --no-files --keep-order --arguments '(__olmap_complete)'
