import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
  pickedCompletion,
  snippet,
} from '@codemirror/autocomplete';
import type { EditorState, Transaction } from '@codemirror/state';
import type { SchemaSource } from '../../forms/schema-source.ts';
import type { Cursor } from '../document/cursor.ts';
import { cursorAt } from '../document/cursor-at.ts';
import { READ_MAX } from '../document/read.ts';
import type { Language } from '../document/tree.ts';
import { describeField } from '../schema/hover.ts';
import { writeMember, writeValue, writeYamlScalar } from '../suggest/skeleton.ts';
import { type SuggestRequest, suggestAt } from '../suggest/suggest.ts';
import type { Suggestion } from '../suggest/suggestion.ts';
import { treeOf } from './analysis.ts';
import { buildCard } from './card.ts';

/** Names are words; types and references contain dots, slashes and at-signs. */
const VALID_FOR = /^[\w@$./:*-]*$/;

export function schemaCompletion(request: SuggestRequest): CompletionSource {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const { state, pos, explicit } = context;
    if (state.readOnly || state.doc.length > READ_MAX[request.language]) return null;
    // Without an explicit request, suggests only while the user types or directly after an opening bracket.
    if (!explicit && !context.matchBefore(/[\w@$./"'-]$|[{[:,-]\s*$|^\s+$/)) return null;
    const cursor = cursorIn(state, pos, request.language);
    if (!cursor) return null;
    const aborter = new AbortController();
    context.addEventListener('abort', () => aborter.abort());
    const word = state.sliceDoc(cursor.wordFrom, pos);
    const source = narrowing(request.source, word.slice(word.lastIndexOf('/') + 1));
    const suggestions = await suggestAt(cursor, { ...request, source }, aborter.signal).catch(() => []);
    if (context.aborted || suggestions.length === 0) return null;
    const best = suggestions.toSorted((a, b) => a.rank - b.rank);
    return {
      from: cursor.wordFrom,
      options: best.map((each, index) => toCompletion(each, index, request.language)),
      // A partial list must be loaded again after the next letter.
      ...(!source.isPartial() && { validFor: VALID_FOR }),
    };
  };
}

/** Returns the schema with lists of names that contain the word, if there are more names than fit. */
function narrowing(source: SchemaSource, word: string): SchemaSource & { isPartial: () => boolean } {
  let partial = false;
  return {
    peek: (type) => source.peek(type),
    load: (type) => source.load(type),
    extensions: (slot) => source.extensions(slot),
    candidates: async (query) => {
      const first = await source.candidates(query);
      partial ||= first.truncated;
      return first.truncated && word !== '' ? source.candidates({ ...query, q: word }) : first;
    },
    isPartial: () => partial,
  };
}

function cursorIn({ doc }: EditorState, offset: number, language: Language): Cursor | undefined {
  return cursorAt(doc.toString(), offset, language, language === 'json' ? treeOf(doc, language) : undefined);
}

function toCompletion(suggestion: Suggestion, index: number, language: Language): Completion {
  const { field, message } = suggestion;
  return {
    label: suggestion.label,
    ...(suggestion.detail !== undefined && { detail: suggestion.detail }),
    type: suggestion.deprecated ? 'deprecated' : suggestion.kind,
    // Keeps our order among equal matches.
    sortText: String(index).padStart(5, '0'),
    boost: suggestion.deprecated ? -50 : Math.max(0, 40 - index / 5),
    ...(field && { info: () => buildCard(describeField(field, message)) }),
    apply: (view, completion) => applySuggestion(view, completion, suggestion, language),
  };
}

/** The part of an editor view that a change needs, so that tests need no view. */
export interface EditTarget {
  readonly state: EditorState;
  dispatch(transaction: Transaction): void;
}

/** Inserts a suggestion at the cursor. Finds the cursor again, because the text may have changed since the list was made. */
export function applySuggestion(
  target: EditTarget,
  completion: Completion,
  suggestion: Suggestion,
  language: Language,
): void {
  const cursor = cursorIn(target.state, target.state.selection.main.head, language);
  if (!cursor) return;
  const { doc } = target.state;
  const lead = language === 'yaml' ? doc.sliceString(doc.lineAt(cursor.from).from, cursor.from) : '';
  const template = templateOf(suggestion, cursor, language, lead);
  const { commaBefore } = cursor;
  const shift = commaBefore === undefined ? 0 : 1;
  if (commaBefore !== undefined) target.dispatch(target.state.update({ changes: { from: commaBefore, insert: ',' } }));
  // A block begins on the next line, without a space after its key.
  const space = template.startsWith('\n') ? (/ *$/.exec(lead)?.[0].length ?? 0) : 0;
  const [from, to] = [cursor.from + shift - space, cursor.to + shift];
  if (template.includes('#{')) {
    snippet(template)(target, completion, from, to);
    return;
  }
  const insert = target.state.toText(indent(template, target.state, from));
  const selection = { anchor: from + insert.length };
  const annotations = pickedCompletion.of(completion);
  target.dispatch(
    target.state.update({ changes: { from, to, insert }, selection, annotations, userEvent: 'input.complete' }),
  );
}

function templateOf({ insert }: Suggestion, cursor: Cursor, language: Language, lead: string): string {
  const comma = cursor.commaAfter ? ',' : '';
  if (insert.kind === 'member') {
    const { key } = insert.member;
    if (cursor.hasColon) return language === 'json' ? JSON.stringify(key) : writeYamlScalar(key);
    return deepen(writeMember(insert.member, language), lead) + comma;
  }
  const value = writeValue(insert.value, language);
  const isBlock = language === 'yaml' && (insert.value.kind === 'object' || insert.value.kind === 'list');
  // After `key: ` a mapping or list has to begin on the next line; after a dash it may begin at once.
  if (isBlock && /:\s*$/.test(lead)) return deepen(`\n\t${value.replaceAll('\n', '\n\t')}`, lead);
  return deepen(value, lead) + comma;
}

/** Indents further lines below the value after the dashes of the first, not below the dashes. */
function deepen(template: string, lead: string): string {
  return template.replaceAll('\n', `\n${'\t'.repeat(dashesOf(lead))}`);
}

function dashesOf(lead: string): number {
  return /^[\s-]*/.exec(lead)?.[0].match(/-/g)?.length ?? 0;
}

function indent(template: string, state: EditorState, from: number): string {
  const lead = /^\s*/.exec(state.doc.lineAt(from).text)?.[0] ?? '';
  return template.replaceAll('\n', `\n${lead}`).replaceAll('\t', '  ');
}
