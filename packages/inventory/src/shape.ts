import { type Endings, isFileName, isFormat, readEndings, splitEnding, VALUE_AND_FORMAT } from './endings.ts';
import { decideLiterals } from './literal-score.ts';
import type { Method } from './method.ts';
import { addTo, createValuePlace, mergePlace, mergeValues, noteValue, type Place, type ValuePlace } from './place.ts';
import { HIDDEN_KINDS, PLACEHOLDER_OF, type Placeholder, type ValueKind } from './placeholders.ts';
import { formOf } from './segment-form.ts';
import type { Siblings } from './siblings.ts';

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
const CONSTANT_CHARACTERS_MAX = 10;
/** The name of an application that is before everything else (`/NameAPIv2/`). */
const CONSTANT_ROOT_CHARACTERS_MAX = 24;

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
  { areKept }: { areKept?: ReadonlySet<string> } = {},
): { words: Map<string, Place>; values: Map<string, ValuePlace> } {
  const words = new Map<string, Place>();
  const values = new Map<string, ValuePlace>();
  const endings = readEndings(place);
  for (const [pattern, typed] of place.values) {
    const actual = patternWith(endings, pattern);
    const constant = constantOf(typed, position);
    if (actual !== pattern) mergeValues(valuesOf(values, actual, place.values.get(actual)), typed);
    else if (constant !== undefined) words.set(pattern.replace('{}', constant), typed);
    else if (!values.has(pattern)) values.set(pattern, typed);
  }
  for (const [pattern, siblings] of groupWords(place, position, { typed: values, endings })) {
    const areLiteral = siblings.isParameter ? [] : decideLiterals(siblings);
    let merged: ValuePlace | undefined;
    for (const [at, { word, value, place: child }] of siblings.list.entries()) {
      const isLiteral = areLiteral[at] && !(endings.haveFileNames && isFileName(word));
      if (isLiteral || areKept?.has(word)) {
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

/** The ending of a pattern is part of the value, a parameter of its own, or what it seems to be. */
function patternWith({ areFiles, areFormats }: Endings, pattern: string): string {
  if (!isFormat(pattern)) return pattern;
  return areFiles ? '{}' : areFormats ? VALUE_AND_FORMAT : pattern;
}

interface WordGroup extends Siblings {
  readonly list: { readonly word: string; readonly value: string; readonly place: Place }[];
  /** The endings of one word: nothing has to be decided. */
  readonly isParameter: boolean;
}

function groupWords(
  place: Place,
  position: Position,
  { typed, endings }: { typed: ReadonlyMap<string, ValuePlace>; endings: Endings },
): Map<string, WordGroup> {
  const groups = new Map<string, WordGroup>();
  for (const [word, child] of place.words) {
    const form = formOf(word);
    const split = endings.bases.size === 0 ? undefined : splitEnding(word);
    const isParameter = split !== undefined && endings.bases.has(split.base);
    const pattern = isParameter ? `${split.base}.{}` : patternWith(endings, form.pattern);
    const group = groups.get(pattern) ?? { list: [], pattern, typed: typed.get(pattern), isParameter, ...position };
    groups.set(pattern, group);
    const value = isParameter ? split.ending : pattern === '{}' ? word : form.value;
    group.list.push({ word, value, place: child });
  }
  return groups;
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
  return sample.length <= (depth === 0 ? CONSTANT_ROOT_CHARACTERS_MAX : CONSTANT_CHARACTERS_MAX) ? sample : undefined;
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
