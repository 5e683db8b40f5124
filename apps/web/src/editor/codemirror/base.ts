import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  completionStatus,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { lintGutter, lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  rectangularSelection,
  tooltips,
} from '@codemirror/view';
import type { Language } from '../document/tree.ts';
import { formatDocument } from './format-command.ts';
import { codeTheme } from './theme.ts';

/** Extensions of every code view, editable or not. */
export function viewExtensions(language: Language): Extension {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
  return [
    nonce ? EditorView.cspNonce.of(nonce) : [],
    codeTheme,
    lineNumbers(),
    codeFolding(),
    foldGutter({ openText: '⌄', closedText: '›' }),
    drawSelection(),
    // Read-only views also navigate to lines.
    highlightActiveLine(),
    highlightActiveLineGutter(),
    language === 'json' ? json() : yaml(),
    indentUnit.of('  '),
    EditorState.tabSize.of(2),
    highlightSelectionMatches(),
    search({ top: true }),
    keymap.of([...searchKeymap, ...foldKeymap]),
    // A menu inside a dialog or a card with rounded corners would be clipped.
    tooltips({ position: 'fixed' }),
  ];
}

/** Extensions of an editable view. Escape, then Tab, leaves it by keyboard. */
export function editExtensions(language: Language): Extension {
  return [
    history(),
    bracketMatching(),
    indentOnInput(),
    closeBrackets(),
    // Suggests again after an opening bracket was inserted: users usually choose the content, too.
    autocompletion({
      activateOnCompletion: () => true,
      maxRenderedOptions: 200,
      icons: false,
      optionClass: ({ type }) => (type === 'deprecated' ? 'cm-deprecated' : ''),
    }),
    reachableList,
    rectangularSelection(),
    dropCursor(),
    lintGutter(),
    keymap.of([
      { key: 'Shift-Alt-f', run: formatDocument(language) },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...lintKeymap,
      ...historyKeymap,
      ...defaultKeymap,
      indentWithTab,
    ]),
  ];
}

/** A scrollable element must be focusable by itself: assistive technology may bypass the editor's own keys. */
const reachableList = EditorView.updateListener.of(({ view, startState, state }) => {
  if (completionStatus(startState) === completionStatus(state)) return;
  view.requestMeasure({
    read: () => view.dom.querySelector('.cm-tooltip-autocomplete > ul'),
    write: (list) => list?.setAttribute('tabindex', '0'),
  });
});
