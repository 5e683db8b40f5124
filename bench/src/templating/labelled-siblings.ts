import { normalizePath } from '@flotilla/inventory';
import {
  addTo,
  createPlace,
  createValuePlace,
  detectKind,
  formOf,
  noteValue,
  type Place,
  type Sibling,
  type Siblings,
  sampleOf,
  type ValuePlace,
} from '@flotilla/inventory/fitting';
import type { Sent } from './traffic.ts';

export interface LabelledSiblings {
  readonly siblings: Siblings;
  /** In the order of the list. */
  readonly areLiteral: readonly boolean[];
}

/** How far below a sibling its features look. */
const LEVELS = 2;

interface Crossing {
  readonly words: Map<string, { readonly place: Place; readonly isLiteral: boolean }>;
  readonly typed: Map<string, ValuePlace>;
}

/** The children of each place of the true templates: what the learner has to divide where everything above is right. */
export function labelSiblings(sent: readonly Sent[]): LabelledSiblings[] {
  const crossings = new Map<string, Crossing>();
  for (const { method, path, answer, truth } of sent) {
    if (truth === undefined || answer !== 'answered') continue;
    const { segments } = normalizePath(path);
    const template = truth.slice(truth.indexOf('/')).split('/').filter(Boolean);
    if (segments.length !== template.length) continue;
    for (const [at, part] of template.entries()) {
      const place = enter(
        crossingOf(crossings, template.slice(0, at).join('/')),
        segments[at] ?? '',
        !part.includes('{}'),
      );
      descend(place, segments.slice(at + 1), method);
    }
  }
  return [...crossings].flatMap(([prefix, crossing]) => listGroups(prefix, crossing));
}

function crossingOf(crossings: Map<string, Crossing>, prefix: string): Crossing {
  const crossing = crossings.get(prefix) ?? { words: new Map(), typed: new Map() };
  crossings.set(prefix, crossing);
  return crossing;
}

function enter({ words, typed }: Crossing, segment: string, isLiteral: boolean): Place {
  const { pattern, value, isFunction } = formOf(segment);
  const kind = isFunction ? 'word' : detectKind(value);
  let place: Place;
  if (kind === undefined) {
    const word = words.get(segment) ?? { place: createPlace(), isLiteral };
    words.set(segment, word);
    place = word.place;
  } else {
    const values = typed.get(pattern) ?? createValuePlace();
    typed.set(pattern, values);
    noteValue(values, kind, sampleOf(kind, value), 1);
    place = values;
  }
  place.total += 1;
  return place;
}

function descend(from: Place, below: readonly string[], method: string): void {
  let place = from;
  for (const segment of below.slice(0, LEVELS)) {
    const { pattern, value, isFunction } = formOf(segment);
    const isTyped = isFunction || detectKind(value) !== undefined;
    const next: Place =
      (isTyped ? place.values.get(pattern) : place.words.get(segment)) ??
      (isTyped ? createValuePlace() : createPlace());
    if (isTyped) place.values.set(pattern, next as ValuePlace);
    else place.words.set(segment, next);
    next.total += 1;
    place = next;
  }
  if (below.length <= LEVELS) addTo(place.ends as Map<string, number>, method, 1);
}

function listGroups(prefix: string, { words, typed }: Crossing): LabelledSiblings[] {
  const before = prefix.split('/').filter(Boolean);
  const last = before.at(-1);
  const parent = last?.includes('{}') ? undefined : last;
  const byPattern = Map.groupBy(words, ([word]) => formOf(word).pattern);
  return Array.from(byPattern, ([pattern, members]) => {
    const list: Sibling[] = members.map(([word, { place }]) => ({ value: formOf(word).value, place }));
    return {
      siblings: { list, pattern, typed: typed.get(pattern), parent, depth: before.length },
      areLiteral: members.map(([, { isLiteral }]) => isLiteral),
    };
  });
}
