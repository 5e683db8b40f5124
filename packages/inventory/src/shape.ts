import type { Siblings } from './features.ts';
import { decideLiterals } from './literal-score.ts';
import type { Method } from './method.ts';
import { addTo, createValuePlace, mergePlace, mergeValues, noteValue, type Place, type ValuePlace } from './place.ts';
import { HIDDEN_KINDS, PLACEHOLDER_OF, type Placeholder, type ValueKind } from './placeholders.ts';
import { formOf } from './segment-form.ts';

/** The decision about a place: every segment below is literal or a parameter. */
export interface Shape {
  readonly literals: ReadonlyMap<string, Shape>;
  /** By pattern. */
  readonly parameters: ReadonlyMap<string, { readonly placeholder: Placeholder; readonly shape: Shape }>;
  readonly ends: ReadonlyMap<Method, number>;
}

/** Where a place is: the segment before it, and how many there are. */
export interface Position {
  readonly parent: string | undefined;
  readonly depth: number;
}

export const ROOT: Position = { parent: undefined, depth: 0 };

/** A share of values of one kind names the parameter. */
const KIND_SHARE_MIN = 0.95;
/** Requests after which a single value of a number or a date is a literal segment (`/2010-04-01/`). */
const CONSTANT_REQUESTS_MIN = 30;
const CONSTANT_DEPTH_MAX = 3;

export function decideShape(place: Place, position: Position = ROOT): Shape {
  const { words, values } = divide(place, position);
  const literals = new Map<string, Shape>();
  for (const [word, child] of words)
    literals.set(word, decideShape(child, { parent: word, depth: position.depth + 1 }));
  const parameters = new Map<string, { placeholder: Placeholder; shape: Shape }>();
  for (const [pattern, child] of values) {
    const shape = decideShape(child, { parent: undefined, depth: position.depth + 1 });
    parameters.set(pattern, { placeholder: placeholderOf(child), shape });
  }
  return { literals, parameters, ends: place.ends };
}

/** The children of a place as they are decided; the place itself does not change. */
export function divide(
  place: Place,
  position: Position,
): { words: Map<string, Place>; values: Map<string, ValuePlace> } {
  const words = new Map<string, Place>();
  const values = new Map<string, ValuePlace>();
  const files = hasFiles(place);
  for (const [pattern, typed] of place.values) {
    if (files && isFormat(pattern)) {
      mergeValues(valuesOf(values, '{}', place.values.get('{}')), typed);
      continue;
    }
    const constant = constantOf(typed, position);
    if (constant !== undefined) words.set(pattern.replace('{}', constant), typed);
    else if (!values.has(pattern)) values.set(pattern, typed);
  }
  for (const [pattern, siblings] of groupWords(place, position, { typed: values, hasFiles: files })) {
    const areLiteral = decideLiterals(siblings);
    let merged: ValuePlace | undefined;
    for (const [at, { value, place: child }] of siblings.list.entries()) {
      const word = pattern.replace('{}', () => value);
      if (areLiteral[at]) {
        words.set(word, child);
        continue;
      }
      if (merged === undefined) {
        merged = createValuePlace();
        if (siblings.typed !== undefined) mergeValues(merged, siblings.typed);
        values.set(pattern, merged);
      }
      mergePlace(merged, child);
      noteValue(merged, 'word', value, child.total);
    }
  }
  return { words, values };
}

function groupWords(
  place: Place,
  position: Position,
  { typed, hasFiles }: { typed: ReadonlyMap<string, ValuePlace>; hasFiles: boolean },
): Map<string, Siblings> {
  const groups = new Map<string, { list: { value: string; place: Place }[] } & Siblings>();
  for (const [word, child] of place.words) {
    const form = formOf(word);
    const { pattern, value } = hasFiles && isFormat(form.pattern) ? { pattern: '{}', value: word } : form;
    let group = groups.get(pattern);
    if (group === undefined) {
      group = { list: [], typed: typed.get(pattern), ...position };
      groups.set(pattern, group);
    }
    group.list.push({ value, place: child });
  }
  return groups;
}

const FORMATS_OF_FILES_MIN = 3;

/** Names of files have many endings, so an ending is part of the value and no format of the answer. */
function hasFiles(place: Place): boolean {
  const endings = new Set([...place.values.keys()].filter(isFormat));
  for (const word of place.words.keys()) {
    const { pattern } = formOf(word);
    if (isFormat(pattern)) endings.add(pattern);
    else if (FILE_ENDING.test(word)) endings.add(word.slice(word.lastIndexOf('.')));
  }
  return endings.size >= FORMATS_OF_FILES_MIN;
}

const FILE_ENDING = /^[^.].*\.(?:png|jpe?g|gif|svg|webp|pdf|txt|zip|tar|gz|docx?|xlsx?|pptx?|mp[34]|mov|log|md)$/i;

function isFormat(pattern: string): boolean {
  return pattern.startsWith('{}.');
}

/** A copy of what is known, to merge into. */
function valuesOf(values: Map<string, ValuePlace>, pattern: string, known: ValuePlace | undefined): ValuePlace {
  const existing = values.get(pattern);
  if (existing !== undefined && existing !== known) return existing;
  const copy = createValuePlace();
  if (known !== undefined) mergeValues(copy, known);
  values.set(pattern, copy);
  return copy;
}

/** The only value that was ever seen here, if it may be a literal segment. */
function constantOf(typed: ValuePlace, { depth, parent }: Position): string | undefined {
  if (
    depth > CONSTANT_DEPTH_MAX ||
    typed.total < CONSTANT_REQUESTS_MIN ||
    typed.unsampled > 0 ||
    typed.samples.size !== 1
  )
    return undefined;
  if (parent === undefined && depth > 0) return undefined;
  const [sample = ''] = typed.samples.keys();
  return sample.length <= 10 ? sample : undefined;
}

function placeholderOf(place: ValuePlace): Placeholder {
  const names = new Map<Placeholder, number>();
  for (const [kind, count] of place.kinds) addTo(names, PLACEHOLDER_OF[kind], count);
  for (const [name, count] of names) if (count >= place.total * KIND_SHARE_MIN) return name;
  return '{dynamic}';
}

/** Undefined for values that must not be remembered. */
export function sampleOf(kind: ValueKind, value: string): string | undefined {
  return HIDDEN_KINDS.has(kind) || value.startsWith('{') ? undefined : value;
}

export interface LearnedTemplate {
  readonly method: Method;
  readonly path: string;
  readonly requests: number;
}

export function listTemplates(shape: Shape, prefix = ''): LearnedTemplate[] {
  const templates: LearnedTemplate[] = [];
  for (const [method, requests] of shape.ends) templates.push({ method, path: prefix === '' ? '/' : prefix, requests });
  for (const [word, child] of shape.literals) templates.push(...listTemplates(child, `${prefix}/${word}`));
  for (const [pattern, { placeholder, shape: child }] of shape.parameters) {
    templates.push(...listTemplates(child, `${prefix}/${pattern.replaceAll('{}', placeholder)}`));
  }
  return templates;
}
