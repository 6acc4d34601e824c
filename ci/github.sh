#!/usr/bin/env bash
# What action.yml does, a word for each step: get, check, comment, verdict. Everything comes in through the environment; what a
# pull request says (paths, branches) is only ever an argument in quotes.
set -euo pipefail

fail() {
    printf '::error title=olmap::%s\n' "$(escaped "$1")"
    exit 2
}

note() {
    printf '::notice title=olmap::%s\n' "$(escaped "$1")"
}

warn() {
    printf '::warning title=olmap::%s\n' "$(escaped "$1")"
}

# A text as the value of a workflow command.
escaped() {
    local text=${1//'%'/'%25'}
    text=${text//$'\r'/'%0D'}
    printf '%s' "${text//$'\n'/'%0A'}"
}

# The lines of a text that are not empty, in the array `lines`.
lines_of() {
    lines=()
    local line
    while IFS= read -r line; do
        line=${line%$'\r'}
        [ -z "$line" ] || lines+=("$line")
    done <<<"$1"
}

# The words of a list with commas, in the array `words`, each behind an option.
options_of() {
    words=()
    local word list=${2//,/$'\n'}
    lines_of "${list// /}"
    for word in ${lines[@]+"${lines[@]}"}; do
        words+=("$1" "$word")
    done
}

# A value of a step, of several lines if need be; a delimiter that is not known before cannot be in it.
output() {
    local end
    end="end-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
    printf '%s<<%s\n%s\n%s\n' "$1" "$end" "$2" "$end" >>"$GITHUB_OUTPUT"
}

# A text as a part of a name, which can end no comment.
slug() {
    printf '%s' "$1" | tr -c 'A-Za-z0-9/._-' '-' | tr -s '-'
}

target() {
    case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) echo x86_64-unknown-linux-musl ;;
    Linux-aarch64 | Linux-arm64) echo aarch64-unknown-linux-musl ;;
    Darwin-x86_64) echo x86_64-apple-darwin ;;
    Darwin-arm64) echo aarch64-apple-darwin ;;
    *) fail "there is no release of olmap for $(uname -s) on $(uname -m): put olmap on PATH before this action" ;;
    esac
}

get() {
    local version=$INPUT_VERSION from=$INPUT_FROM name sums folder
    if command -v olmap >/dev/null && { [ -z "$version" ] || [ "$(olmap --version)" = "olmap $version" ]; }; then
        echo "using $(olmap --version) on PATH"
        return
    fi
    [ -n "$version" ] || version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$GITHUB_ACTION_PATH/Cargo.toml" | head -n 1)
    case "$version" in
    '' | *[!0-9A-Za-z.+-]*) fail "not a version of olmap: $version" ;;
    esac
    [ -n "$from" ] || from="$GITHUB_SERVER_URL/${ACTION_REPOSITORY:-$GITHUB_REPOSITORY}/releases/download/v$version"
    name="olmap-$version-$(target)"
    sums="olmap-$version-SHA256SUMS"
    folder=$(mktemp -d "$RUNNER_TEMP/olmap.XXXXXX")
    cd "$folder"
    for file in "$name.tar.gz" "$sums"; do
        curl --fail --silent --show-error --location --retry 3 --proto '=https,file' --proto-redir '=https' \
            --output "$file" "${from%/}/$file" || fail "cannot fetch $file from $from"
    done
    # One line, and it must be there: an empty list would check nothing.
    grep -E "^[0-9a-f]{64} [ *]$(printf %s "$name.tar.gz" | sed 's/[.+]/\\&/g')\$" "$sums" >expected ||
        fail "$sums does not name $name.tar.gz"
    if command -v sha256sum >/dev/null; then
        sha256sum --check --strict expected
    else
        shasum -a 256 --check --strict expected
    fi || fail "$name.tar.gz is not what $sums says"
    tar -xzf "$name.tar.gz" "$name/olmap"
    printf '%s\n' "$folder/$name" >>"$GITHUB_PATH"
    "./$name/olmap" --version
}

# What the catalogs are compared with; nothing where there is none.
base() {
    if [ -n "$INPUT_BASE" ]; then
        printf '%s' "$INPUT_BASE"
        return
    fi
    local head
    head=$(git rev-parse HEAD)
    case "${GITHUB_EVENT_NAME:-}" in
    pull_request)
        # actions/checkout checks out the merge of the two: its first parent is what the pull request is merged into. Of another
        # commit that may be a merge the first parent is anything.
        if [ "$head" != "$GITHUB_SHA" ]; then
            printf 'origin/%s...' "$GITHUB_BASE_REF"
        elif git rev-parse --quiet --verify 'HEAD^2^{commit}' >/dev/null; then
            printf 'HEAD^1'
        else
            fail 'the base of the pull request is not in this clone: set fetch-depth: 2 for actions/checkout'
        fi
        ;;
    pull_request_target)
        # Nothing of the pull request is checked out, unless somebody says so.
        [ "$head" != "$GITHUB_SHA" ] ||
            fail 'this is what the pull request is merged into, not the pull request: run the action on: pull_request'
        printf 'origin/%s...' "$GITHUB_BASE_REF"
        ;;
    merge_group) printf '%s' "$MERGE_GROUP_BASE" ;;
    esac
}

# Keeps the worst exit code, and one line of a table for each check.
result=0
table=''
ran() {
    local word=passed
    case "$2" in
    0) ;;
    1) word='**failed**' ;;
    *) word='**could not be checked**' ;;
    esac
    [ "$2" -le "$result" ] || result=$2
    [ "$result" -le 2 ] || result=2
    table+="| $1 | $word |"$'\n'
}

# Where the comment finds the rules: the documents of this action, at the version that runs.
link_rules() {
    if [ -z "${OLMAP_RULES_URL:-}" ] && [ -n "${ACTION_REPOSITORY:-}" ]; then
        export OLMAP_RULES_URL="$GITHUB_SERVER_URL/$ACTION_REPOSITORY/blob/${ACTION_REF:-main}/docs/rules.md"
    fi
}

check() {
    local revision out code=0 changed=() catalogs=() validating=() words=() lines=()
    link_rules
    out="$RUNNER_TEMP/olmap-out"
    rm -rf "$out"
    mkdir -p "$out"
    revision=$(base) || {
        # Why is what it printed.
        printf '%s\n' "$revision"
        exit 2
    }
    lines_of "$INPUT_CATALOGS"
    catalogs=(${lines[@]+"${lines[@]}"})
    if [ -n "$revision" ]; then
        changed=(--changed-since "$revision")
        list "${changed[@]}" -- ${catalogs[@]+"${catalogs[@]}"}
    else
        # Patterns become paths.
        list -- ${catalogs[@]+"${catalogs[@]}"}
        lines_of "$(cat "$out/touched")"
        catalogs=(${lines[@]+"${lines[@]}"})
    fi

    validating=(-o github --also "sarif=$out/olmap.sarif" --also "markdown=$out/validate.md")
    options_of --deny "$INPUT_DENY"
    validating+=(${words[@]+"${words[@]}"})
    options_of --allow "$INPUT_ALLOW"
    validating+=(${words[@]+"${words[@]}"})
    [ -z "$INPUT_BASELINE" ] || validating+=(--baseline "$INPUT_BASELINE")
    code=0
    olmap validate ${changed[@]+"${changed[@]}"} "${validating[@]}" -- ${catalogs[@]+"${catalogs[@]}"} || code=$?
    ran 'findings' "$code"

    [ -z "$INPUT_EXPECTATIONS" ] || expect
    [ -z "$revision" ] || compare
    [ "$INPUT_REPORT" != true ] || report

    summary
    output result "$result"
    output slug "olmap${INPUT_NAME:+-$(slug "$INPUT_NAME" | tr '/' '-')}"
    output touched "$(cat "$out/touched")"
    [ ! -s "$out/olmap.sarif" ] || output sarif "$out/olmap.sarif"
}

# Lists catalogs in the file `touched`. What olmap warns of, as catalogs that are not checked, stands where people look.
list() {
    local code=0
    olmap list catalogs "$@" >"$out/touched" 2>"$out/warnings" || code=$?
    cat "$out/warnings" >&2
    [ "$code" = 0 ] || exit 2
    [ ! -s "$out/warnings" ] || warn "$(cat "$out/warnings")"
}

# The expectations of each catalog that is touched.
expect() {
    local catalog file code worst=0
    lines_of "$(cat "$out/touched")"
    for catalog in ${lines[@]+"${lines[@]}"}; do
        file=$INPUT_EXPECTATIONS
        if [ -d "$file" ]; then
            file="$file/$(basename "$catalog").yaml"
            if [ ! -e "$file" ]; then
                note "$catalog has no expectations: there is no $file"
                continue
            fi
        fi
        code=0
        olmap expect -o github -- "$file" "$catalog" || code=$?
        [ "$code" -le "$worst" ] || worst=$code
    done
    ran 'upgrade expectations' "$worst"
}

# What changes, and for whom.
compare() {
    local code=0 pattern comparing=(--also "markdown=$out/diff.md")
    if [ "$INPUT_FAIL_ON" != none ] && [ -n "$INPUT_FAIL_ON" ]; then
        comparing+=(--fail-on "${INPUT_FAIL_ON// /}")
    fi
    lines_of "$INPUT_EXCEPT"
    for pattern in ${lines[@]+"${lines[@]}"}; do
        comparing+=(--except "$pattern")
    done
    olmap diff "${changed[@]}" "${comparing[@]}" -- ${catalogs[@]+"${catalogs[@]}"} || code=$?
    ran 'changes for users' "$code"
}

# A page of what changes; without a base, of what there is.
report() {
    local catalog commit against=() there=()
    lines_of "$(cat "$out/touched")"
    if [ -n "$revision" ]; then
        case "$revision" in
        *...) commit=$(git merge-base "${revision%...}" HEAD) ;;
        *) commit=$(git rev-parse --verify --end-of-options "$revision^{commit}") ;;
        esac
        against=(--against "git:$revision")
        for catalog in ${lines[@]+"${lines[@]}"}; do
            # A new catalog has nothing to be compared with.
            ! git rev-parse --quiet --verify --end-of-options "$commit:./$catalog" >/dev/null || there+=("$catalog")
        done
    else
        there=(${lines[@]+"${lines[@]}"})
    fi
    [ "${#there[@]}" -gt 0 ] || return 0
    if olmap report ${against[@]+"${against[@]}"} --to "$out/report.html" -- "${there[@]}"; then
        output report "$out/report.html"
    else
        ran 'report' 2
    fi
}

# The summary of the job, and the comment, which must be shorter.
summary() {
    local mark run part
    {
        printf '## olmap\n\n| check | result |\n|---|---|\n%s\n' "$table"
        # Names of folders are no Markdown in an indented block.
        [ ! -s "$out/warnings" ] || { sed 's/^/    /' "$out/warnings" && echo; }
        for part in diff validate; do
            [ ! -s "$out/$part.md" ] || { cat "$out/$part.md" && echo; }
        done
    } >>"$GITHUB_STEP_SUMMARY"
    [ -s "$out/diff.md" ] || return 0
    mark=$(slug "${GITHUB_WORKFLOW:-}/${GITHUB_JOB:-}/${INPUT_NAME:-}")
    run="$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID"
    {
        # The first line has the numbers of users, and is what a mail and a list of comments show.
        printf '<!-- olmap %s -->\n' "$mark"
        head -n 1 "$out/diff.md"
        printf '\n| check | result |\n|---|---|\n%s' "$table"
        tail -n +2 "$out/diff.md"
        # Findings stand beside their lines and in the summary, and are not said a second time.
        printf '\n[Findings and log](%s)\n' "$run"
    } >"$out/comment.md"
    output comment "$out/comment.md"
}

comment() {
    local mark found
    [ -n "$NUMBER" ] || return 0
    if [ "$HEAD_REPOSITORY" != "$GITHUB_REPOSITORY" ]; then
        note 'no comment: the pull request comes from a fork, whose runs may not write; see the summary of the job'
        return
    fi
    IFS= read -r mark <"$COMMENT"
    # The page got its address when it was kept, after the comment was written.
    case "${REPORT_URL:-}" in
    https://*) printf '\n[Full report](%s)\n' "$REPORT_URL" >>"$COMMENT" ;;
    esac
    export MARK="$mark" AUTHOR="$INPUT_COMMENT_AUTHOR"
    found=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments" --jq \
        '.[] | select(.user.login == env.AUTHOR and (.body | startswith(env.MARK))) | .id') ||
        fail "cannot read the comments of pull request $NUMBER: does the job have pull-requests: write?"
    found=$(head -n 1 <<<"$found")
    if [ -n "$found" ]; then
        gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$found" --field "body=@$COMMENT" --silent
    elif [ -n "$TOUCHED" ]; then
        gh api --method POST "repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments" --field "body=@$COMMENT" --silent
    fi || fail "cannot comment on pull request $NUMBER: does the job have pull-requests: write?"
}

case "${1:-}" in
get) get ;;
check) check ;;
comment) comment ;;
# A step before it failed if there is no result.
verdict) exit "${RESULT:-2}" ;;
*) fail "unknown step: ${1:-}" ;;
esac
