# Completion of olmap in bash. It asks olmap for the candidates.
# Load it with: source <(olmap completions bash)

_olmap() {
    # bash splits words at the characters of COMP_WORDBREAKS. Pieces without a space between them are one word.
    local rest=${COMP_LINE-} joined=() index=0 gap=1 i piece trimmed
    if [[ -z $rest ]]; then
        rest="${COMP_WORDS[*]}"
    fi
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        piece=${COMP_WORDS[i]}
        trimmed=${rest#"${rest%%[![:space:]]*}"}
        if [[ $gap == 1 || $trimmed != "$rest" || -z $piece ]]; then
            joined+=("$piece")
        else
            joined[${#joined[@]} - 1]+=$piece
        fi
        gap=0
        if [[ -z $piece ]]; then
            gap=1
        fi
        rest=${trimmed#"$piece"}
        if ((i == COMP_CWORD)); then
            index=$((${#joined[@]} - 1))
        fi
    done

    local current=${joined[index]} quote='' prefix='' breaks=${COMP_WORDBREAKS//[^=:@]/}
    if [[ $current == [\"\']* ]]; then
        # bash completes the word inside of the quotes.
        quote=${current:0:1}
        current=${current:1}
    elif [[ -n $breaks && $current == *["$breaks"]* ]]; then
        prefix=${current%"${current##*["$breaks"]}"}
    fi

    # olmap gets the words without quotes.
    local words=() word
    for ((i = 0; i < ${#joined[@]}; i++)); do
        word=${joined[i]}
        if ((i == index)); then
            word=$current
        fi
        if [[ -z $quote || $i -ne $index ]]; then
            word=${word//[\"\'\\]/}
        fi
        words+=("$word")
    done

    local program=${words[0]/#\~/$HOME}
    type -P -- "$program" >/dev/null 2>&1 || program=olmap
    COMPREPLY=()
    local candidate
    while IFS= read -r candidate; do
        candidate=${candidate#"${prefix//[\"\'\\]/}"}
        if [[ -z $quote && $candidate == '~/'* ]]; then
            printf -v candidate '~/%q' "${candidate:2}"
        elif [[ -z $quote && -n $candidate ]]; then
            printf -v candidate '%q' "$candidate"
        fi
        COMPREPLY+=("$candidate")
    done < <(OLMAP_COMPLETE=bash OLMAP_COMPLETE_INDEX=$index "$program" -- "${words[@]}" 2>/dev/null)
    if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[/:=] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

# Candidates have an order: the highest version is first. Old versions of bash sort them.
complete -o nosort -F _olmap olmap 2>/dev/null || complete -F _olmap olmap
