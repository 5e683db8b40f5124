import { type Diagnostic, linter } from '@codemirror/lint';
import { type EditorState, type Extension, StateEffect, StateField, type Text } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { SchemaSource } from '../../forms/schema-source.ts';
import { joinProblems, type Problem } from '../document/problems.ts';
import { READ_MAX } from '../document/read.ts';
import { type DocumentError, keepFresh } from '../document/server-errors.ts';
import type { DocumentTree, Language } from '../document/tree.ts';
import type { Dialect } from '../schema/lint.ts';
import { type Finding, lintDocument } from '../schema/lint.ts';
import { withTypes } from '../schema/types.ts';
import { treeOf } from './analysis.ts';

export interface CheckOptions {
  readonly language: Language;
  /** Without a schema, only syntax errors and errors of the server are shown. */
  readonly schema?: { readonly source: SchemaSource; readonly type: string; readonly dialect: Dialect } | undefined;
  /** Called after every check. */
  readonly onProblems?: ((problems: readonly Problem[]) => void) | undefined;
}

/** Checks a document after this pause in typing. */
const CHECK_DELAY_MS = 300;
const EMPTY: DocumentTree = { root: undefined, problems: [] };

export const setServerErrors = StateEffect.define<readonly DocumentError[]>();

/** The errors with the text that they refer to. */
const serverErrors = StateField.define<{ readonly errors: readonly DocumentError[]; readonly doc: Text | undefined }>({
  create: () => ({ errors: [], doc: undefined }),
  update(value, transaction) {
    for (const effect of transaction.effects)
      if (effect.is(setServerErrors)) return { errors: effect.value, doc: transaction.newDoc };
    return value;
  },
});

/** Checks while the user types, after a pause. Larger documents get only syntax colours. */
export function checks(options: CheckOptions): Extension {
  return [
    serverErrors,
    linter((view) => check(view, options), {
      delay: CHECK_DELAY_MS,
      needsRefresh: (update) =>
        update.transactions.some(({ effects }) => effects.some((effect) => effect.is(setServerErrors))),
    }),
  ];
}

async function check(view: EditorView, options: CheckOptions): Promise<Diagnostic[]> {
  const { state } = view;
  const isReadable = state.doc.length <= READ_MAX[options.language];
  const tree = isReadable ? treeOf(state.doc, options.language) : EMPTY;
  const findings = isReadable ? await lint(tree, options.schema) : [];
  const problems = joinProblems(tree, freshErrors(state, tree, options.language), findings);
  if (view.state.doc === state.doc) options.onProblems?.(problems);
  return problems.map(({ from, to, severity, message, path }) => ({
    from: Math.min(from, state.doc.length),
    to: Math.min(Math.max(to, from), state.doc.length),
    severity,
    message,
    ...(path && { source: path }),
  }));
}

function lint(tree: DocumentTree, schema: CheckOptions['schema']): Finding[] | Promise<Finding[]> {
  if (!schema) return [];
  // The server does not answer. Its checks follow when it does.
  return withTypes(schema.source, (types) => lintDocument(schema.type, tree, types, schema.dialect)).catch(() => []);
}

function freshErrors(state: EditorState, tree: DocumentTree, language: Language) {
  const { errors, doc } = state.field(serverErrors);
  if (!doc || errors.length === 0) return [];
  const before = doc === state.doc ? tree : doc.length <= READ_MAX[language] ? treeOf(doc, language) : EMPTY;
  return keepFresh(errors, { tree: before, text: doc.toString() }, { tree, text: state.doc.toString() });
}
