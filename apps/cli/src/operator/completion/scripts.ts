export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** `flotilla __complete WORDS...` prints one candidate per line for the last word, or `:files` if the word is a file. */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  // Does not use `compgen -W`, which would execute a name such as `$(...)`.
  bash: `# bash completion of flotilla. Load it with: source <(flotilla completion bash)
_flotilla() {
  local word="\${COMP_WORDS[COMP_CWORD]}" candidates candidate
  candidates="$(flotilla __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)"
  COMPREPLY=()
  if [ "$candidates" = ":files" ]; then
    while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "$word")
    return
  fi
  while IFS= read -r candidate; do
    if [ -n "$candidate" ] && [ "\${candidate#"$word"}" != "$candidate" -o -z "$word" ]; then COMPREPLY+=("$candidate"); fi
  done <<< "$candidates"
}
complete -o filenames -F _flotilla flotilla
`,
  zsh: `#compdef flotilla
# zsh completion of flotilla. Load it with: source <(flotilla completion zsh)
_flotilla() {
  local -a candidates
  candidates=("\${(@f)$(flotilla __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "$candidates" == ":files" ]]; then
    _files
  else
    compadd -- "\${candidates[@]}"
  fi
}
compdef _flotilla flotilla
`,
  fish: `# fish completion of flotilla. Load it with: flotilla completion fish | source
function __flotilla_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l candidates (flotilla __complete -- $words[2..-1] 2>/dev/null)
  if test "$candidates" = ":files"
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $candidates
  end
end
complete -c flotilla -f -a '(__flotilla_complete)'
`,
};
