import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { VisuallyHidden } from '@mantine/core';
import { type RefObject, useId, useLayoutEffect, useRef } from 'react';
import { editExtensions, viewExtensions } from '../codemirror/base.ts';
import { cursorPath } from '../codemirror/cursor-path.ts';
import { fromOutside, replaceText } from '../codemirror/format-command.ts';
import { type RevealedLine, reveal } from '../codemirror/reveal.ts';
import type { Language } from '../document/tree.ts';
import { texts } from './texts.tsx';

const text = texts.codeEditor;

export interface CodeEditorProps {
  readonly value: string;
  readonly onChange?: ((value: string) => void) | undefined;
  readonly language: Language;
  readonly readOnly?: boolean | undefined;
  readonly ariaLabel: string;
  readonly minHeight?: string | undefined;
  readonly maxHeight?: string | undefined;
  /** Must be the same object between renders: a new one reconfigures the editor. */
  readonly extensions?: Extension | undefined;
  /** Receives the path of the value under the cursor when it changes. */
  readonly onCursorPath?: ((path: string) => void) | undefined;
  /** Line to show. A new object is a new request; a recreated editor shows it again. */
  readonly revealed?: RevealedLine | undefined;
  /** Set while the editor exists. */
  readonly viewRef?: RefObject<EditorView | null> | undefined;
}

/** Wraps long lines below this width: sideways scrolling in a small window hides half of every line. */
const WRAP_BELOW_PX = 640;
const NOTHING: Extension = [];

/**
 * Text editor for JSON or YAML. Controlled: a `value` from outside replaces the text with as few changes as possible.
 */
export function CodeEditor(props: CodeEditorProps) {
  const { value, language, readOnly = false, ariaLabel, minHeight, maxHeight, extensions = NOTHING, revealed } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef(props);
  /** The text last reported to the parent; a render with it needs no comparison. */
  const reported = useRef(value);
  const hint = useId();
  latest.current = props;

  useLayoutEffect(() => {
    if (!host.current) return undefined;
    const { value: doc } = latest.current;
    const handlers = [
      cursorPath(language, (path) => latest.current.onCursorPath?.(path)),
      onEdit((text, isOurs) => {
        reported.current = text;
        if (isOurs) latest.current.onChange?.(text);
      }),
    ];
    const setUp = setUpEditor({ language, readOnly, ariaLabel, hint });
    const { editor, close } = openEditor(host.current, doc, [setUp, extensions, handlers]);
    reported.current = doc;
    view.current = editor;
    if (latest.current.viewRef) latest.current.viewRef.current = editor;
    return () => {
      view.current = null;
      if (latest.current.viewRef) latest.current.viewRef.current = null;
      close();
    };
  }, [language, readOnly, ariaLabel, extensions, hint]);

  // A passive effect would run after the next keystroke on a slow machine, and replace the text with an older one.
  useLayoutEffect(() => {
    if (!view.current || value === reported.current) return;
    reported.current = value;
    replaceText(view.current, value, 'outside');
  }, [value]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what makes another editor
  useLayoutEffect(
    () => (view.current && revealed ? reveal(view.current, revealed) : undefined),
    [revealed, language, readOnly, ariaLabel, extensions],
  );

  useLayoutEffect(() => {
    const editor = view.current;
    if (!editor) return;
    editor.dom.style.maxHeight = maxHeight ?? '';
    editor.dom.style.setProperty('--code-min-height', minHeight ?? '0');
  });

  return (
    <div>
      <div ref={host} />
      <VisuallyHidden id={hint}>{text.keys(readOnly ? text.readOnly : text.tabIndents)}</VisuallyHidden>
    </div>
  );
}

function openEditor(parent: HTMLElement, doc: string, extensions: Extension) {
  const wrapping = new Compartment();
  const state = EditorState.create({ doc, extensions: [wrapping.of([]), extensions] });
  const editor = new EditorView({ parent, state });
  const stop = wrapWhenNarrow(editor, wrapping);
  return {
    editor,
    close: () => {
      stop();
      editor.destroy();
    },
  };
}

interface EditorSetUp {
  readonly language: Language;
  readonly readOnly: boolean;
  readonly ariaLabel: string;
  /** ID of the element that explains the keys. */
  readonly hint: string;
}

function setUpEditor({ language, readOnly, ariaLabel, hint }: EditorSetUp): Extension {
  return [
    viewExtensions(language),
    readOnly ? EditorState.readOnly.of(true) : editExtensions(language),
    EditorView.contentAttributes.of({
      'aria-label': ariaLabel,
      'aria-describedby': hint,
      tabindex: '0',
      ...(readOnly && { 'aria-readonly': 'true' }),
    }),
  ];
}

/** Reports every new text. `isOurs`: the user has changed it, not the value from outside. */
function onEdit(report: (text: string, isOurs: boolean) => void): Extension {
  return EditorView.updateListener.of((update) => {
    if (!update.docChanged) return;
    const isOurs = update.transactions.some((each) => each.docChanged && !each.annotation(fromOutside));
    report(update.state.doc.toString(), isOurs);
  });
}

function wrapWhenNarrow(editor: EditorView, wrapping: Compartment): () => void {
  let isNarrow = false;
  const observer = new ResizeObserver(([entry]) => {
    const narrow = entry !== undefined && entry.contentRect.width < WRAP_BELOW_PX;
    if (narrow === isNarrow) return;
    isNarrow = narrow;
    editor.dispatch({ effects: wrapping.reconfigure(narrow ? EditorView.lineWrapping : []) });
  });
  observer.observe(editor.dom);
  return () => observer.disconnect();
}
