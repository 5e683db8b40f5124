import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const LIGHT = {
  '--code-name': 'var(--mantine-color-blue-9)',
  '--code-text': 'color-mix(in srgb, var(--mantine-color-teal-9) 78%, black)',
  '--code-number': 'var(--mantine-color-grape-9)',
  '--code-comment': 'var(--mantine-color-gray-7)',
  '--code-sign': 'var(--mantine-color-gray-7)',
  '--code-muted': 'var(--mantine-color-gray-7)',
  '--code-error': 'var(--mantine-color-red-9)',
  '--code-warning': 'color-mix(in srgb, var(--mantine-color-orange-9) 80%, black)',
  '--code-line': 'color-mix(in srgb, var(--mantine-color-gray-2) 45%, transparent)',
  '--code-selection': 'var(--mantine-color-blue-1)',
  '--code-match': 'var(--mantine-color-yellow-2)',
  '--code-added': 'color-mix(in srgb, var(--mantine-color-green-1) 55%, transparent)',
  '--code-added-text': 'color-mix(in srgb, var(--mantine-color-green-3) 60%, transparent)',
  '--code-removed': 'color-mix(in srgb, var(--mantine-color-red-1) 55%, transparent)',
  '--code-removed-text': 'color-mix(in srgb, var(--mantine-color-red-2) 75%, transparent)',
};

const UNTOUCHED = '&:not(.cm-focused):has([aria-readonly="true"])';

const DARK: typeof LIGHT = {
  '--code-name': 'var(--mantine-color-blue-3)',
  '--code-text': 'var(--mantine-color-teal-3)',
  '--code-number': 'var(--mantine-color-grape-3)',
  '--code-comment': 'var(--mantine-color-dark-1)',
  '--code-sign': 'var(--mantine-color-dark-1)',
  '--code-muted': 'var(--mantine-color-dark-1)',
  '--code-error': 'var(--mantine-color-red-4)',
  '--code-warning': 'var(--mantine-color-orange-4)',
  '--code-line': 'color-mix(in srgb, var(--mantine-color-dark-5) 45%, transparent)',
  '--code-selection': 'color-mix(in srgb, var(--mantine-color-blue-8) 45%, var(--mantine-color-body))',
  '--code-match': 'color-mix(in srgb, var(--mantine-color-yellow-9) 45%, transparent)',
  '--code-added': 'color-mix(in srgb, var(--mantine-color-green-9) 25%, transparent)',
  '--code-added-text': 'color-mix(in srgb, var(--mantine-color-green-8) 28%, transparent)',
  '--code-removed': 'color-mix(in srgb, var(--mantine-color-red-9) 25%, transparent)',
  '--code-removed-text': 'color-mix(in srgb, var(--mantine-color-red-8) 34%, transparent)',
};

const BORDER = '1px solid var(--mantine-color-default-border)';

const surface = {
  '&': LIGHT,
  '[data-mantine-color-scheme="dark"] &': DARK,
};

const editor = {
  '&': {
    color: 'var(--mantine-color-text)',
    backgroundColor: 'var(--mantine-color-body)',
    border: BORDER,
    borderRadius: 'var(--mantine-radius-default)',
    fontSize: '13px',
    // The completion menus overflow the editor; the gutters must not.
    overflow: 'clip',
  },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)', padding: '6px 0' },
  '.cm-content, .cm-gutter': { minHeight: 'var(--code-min-height, 0)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-activeLine': { backgroundColor: 'var(--code-line)' },
  // A read-only view without the focus has no line that the user has selected.
  [`${UNTOUCHED} .cm-activeLine, ${UNTOUCHED} .cm-activeLineGutter`]: {
    backgroundColor: 'transparent',
    color: 'inherit',
  },
  '.cm-gutters': { color: 'var(--code-muted)', backgroundColor: 'var(--mantine-color-body)', borderRight: BORDER },
  '.cm-activeLineGutter': { backgroundColor: 'var(--code-line)', color: 'var(--mantine-color-text)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--code-selection)',
  },
  '.cm-content ::selection': { backgroundColor: 'var(--code-selection)' },
  '&.cm-focused .cm-matchingBracket, .cm-matchingBracket': { backgroundColor: 'var(--code-match)', color: 'inherit' },
  // Distant brackets also count as unmatched; missing ones are reported as errors.
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'transparent', color: 'inherit' },
  '.cm-foldPlaceholder': {
    color: 'var(--code-muted)',
    backgroundColor: 'transparent',
    border: BORDER,
    padding: '0 6px',
  },
  '.cm-foldGutter .cm-gutterElement': { cursor: 'pointer', width: '1.4em', textAlign: 'center' },
  '.cm-searchMatch': { backgroundColor: 'var(--code-match)' },
  '.cm-searchMatch-selected': { outline: '1px solid var(--mantine-color-text)', backgroundColor: 'var(--code-match)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--code-line)', outline: '1px dotted var(--code-muted)' },
  '.cm-placeholder': { color: 'var(--code-muted)' },
};

const panels = {
  '.cm-panels': { color: 'var(--mantine-color-text)', backgroundColor: 'var(--mantine-color-body)' },
  '.cm-panels-top': { borderBottom: BORDER },
  '.cm-panels-bottom': { borderTop: BORDER },
  '.cm-panel.cm-search': { padding: '8px 36px 8px 8px', fontFamily: 'var(--mantine-font-family)', fontSize: '13px' },
  '.cm-panel.cm-search [name=close]': {
    fontSize: '18px',
    width: '24px',
    height: '24px',
    top: '6px',
    right: '6px',
    color: 'inherit',
    cursor: 'pointer',
  },
  '.cm-textfield': {
    color: 'inherit',
    backgroundColor: 'var(--mantine-color-body)',
    border: '1px solid var(--code-muted)',
    borderRadius: 'var(--mantine-radius-sm)',
    padding: '3px 6px',
    fontSize: '13px',
  },
  '.cm-button': {
    color: 'inherit',
    backgroundImage: 'none',
    backgroundColor: 'var(--mantine-color-default)',
    border: BORDER,
    borderRadius: 'var(--mantine-radius-sm)',
    padding: '3px 8px',
    fontSize: '13px',
    cursor: 'pointer',
  },
  '.cm-button:active': { backgroundImage: 'none', backgroundColor: 'var(--mantine-color-default-hover)' },
};

const tooltips = {
  '.cm-tooltip': {
    color: 'var(--mantine-color-text)',
    backgroundColor: 'var(--mantine-color-body)',
    border: BORDER,
    borderRadius: 'var(--mantine-radius-default)',
    boxShadow: 'var(--mantine-shadow-md)',
    overflow: 'hidden',
    maxWidth: 'min(460px, calc(100vw - 16px))',
    fontSize: '13px',
  },
  // The card beside the list is a child of the list.
  '.cm-tooltip.cm-tooltip-autocomplete': { overflow: 'visible', maxWidth: 'none' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    maxHeight: '16em',
    maxWidth: 'min(560px, calc(100vw - 24px))',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    padding: '3px 8px',
    display: 'flex',
    gap: '12px',
    alignItems: 'baseline',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--mantine-color-text)',
    backgroundColor: 'var(--code-selection)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': {
    marginLeft: 'auto',
    fontStyle: 'normal',
    color: 'var(--code-muted)',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
  },
  'li[aria-selected] .cm-completionDetail': { color: 'var(--mantine-color-text)' },
  '.cm-deprecated .cm-completionLabel': { textDecoration: 'line-through' },
  '.cm-tooltip.cm-completionInfo': { padding: '0', maxWidth: 'min(380px, calc(100vw - 16px))' },
  '.cm-card': { padding: '8px 10px', fontFamily: 'var(--mantine-font-family)', lineHeight: '1.45' },
  '.cm-card > * + *': { marginTop: '4px' },
  '.cm-card-title': { fontFamily: 'var(--mantine-font-family-monospace)', fontWeight: '600' },
  '.cm-card-type, .cm-card ul': { color: 'var(--code-muted)' },
  '.cm-card ul': { margin: '4px 0 0', paddingLeft: '18px' },
  '.cm-card-deprecated': { color: 'var(--code-warning)', fontWeight: '600' },
  '.cm-card a': { color: 'var(--code-name)', textDecoration: 'underline' },
};

const mark = (colour: string, sign: string) => ({
  '&::before': { content: `"${sign}"`, color: colour, fontWeight: '700' },
  content: 'none',
  width: 'auto',
  height: 'auto',
});

const diagnostics = {
  '.cm-panel.cm-panel-lint ul': { maxHeight: '180px' },
  '.cm-lintRange': { backgroundImage: 'none', paddingBottom: '0' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy var(--code-error)', textUnderlineOffset: '3px' },
  '.cm-lintRange-warning': { textDecoration: 'underline dotted var(--code-warning) 2px', textUnderlineOffset: '3px' },
  '.cm-lintRange-active': { backgroundColor: 'var(--code-line)' },
  '.cm-lintPoint::after': { borderBottomColor: 'var(--code-error)' },
  '.cm-diagnostic': {
    padding: '6px 10px',
    margin: '0',
    borderLeft: '4px solid transparent',
    fontFamily: 'var(--mantine-font-family)',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--code-error)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--code-warning)' },
  '.cm-diagnosticSource': { color: 'var(--code-muted)', opacity: '1', fontSize: '12px' },
  '.cm-gutter-lint': { width: '1.5em' },
  '.cm-gutter-lint .cm-gutterElement': { textAlign: 'center', padding: '0' },
  '.cm-lint-marker-error': mark('var(--code-error)', '✕'),
  '.cm-lint-marker-warning': mark('var(--code-warning)', '!'),
  '.cm-panel.cm-panel-lint ul [aria-selected], .cm-panel.cm-panel-lint ul:focus [aria-selected]': {
    backgroundColor: 'var(--code-selection)',
    color: 'inherit',
  },
};

const merge = {
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--code-removed)' },
  '&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine': { backgroundColor: 'var(--code-added)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': { background: 'var(--code-removed-text)' },
  '&.cm-merge-b .cm-changedText': { background: 'var(--code-added-text)' },
  '&.cm-merge-b .cm-deletedText': { background: 'var(--code-removed-text)' },
  '.cm-deletedChunk del, .cm-deletedLine': { textDecoration: 'none' },
  '.cm-insertedLine, .cm-insertedLine del': { textDecoration: 'none' },
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': { background: 'var(--code-error)' },
  '&.cm-merge-b .cm-changedLineGutter': { background: 'var(--code-text)' },
  '.cm-collapsedLines': {
    color: 'var(--code-muted)',
    background: 'var(--code-line)',
    padding: '4px 12px',
    fontFamily: 'var(--mantine-font-family)',
  },
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '"↕"', color: 'inherit' },
};

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--code-name)' },
  { tag: [tags.string, tags.special(tags.string), tags.content, tags.attributeValue], color: 'var(--code-text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword, tags.atom], color: 'var(--code-number)' },
  { tag: [tags.comment, tags.meta, tags.labelName, tags.typeName], color: 'var(--code-comment)' },
  { tag: [tags.punctuation, tags.separator, tags.bracket, tags.squareBracket, tags.brace], color: 'var(--code-sign)' },
  { tag: tags.invalid, color: 'var(--code-error)' },
]);

/** Colours are Mantine variables, so both themes follow the page. */
export const codeTheme: Extension = [
  EditorView.theme({
    ...editor,
    ...panels,
    ...tooltips,
    ...diagnostics,
    ...merge,
    '&': { ...editor['&'], ...surface['&'] },
    '[data-mantine-color-scheme="dark"] &': DARK,
  }),
  syntaxHighlighting(highlight),
];
