import type { Place } from './place.ts';
import { formOf } from './segment-form.ts';

/** The role of endings such as `.json` in one place. */
export interface Endings {
  /** They belong to the values: names of files have many endings. */
  readonly areFiles: boolean;
  /** They are a parameter of their own: the same values have several. */
  readonly areFormats: boolean;
  /** Words with an ending that is a parameter (`report.json`, `report.xml`, `report.csv`). */
  readonly bases: ReadonlySet<string>;
}

/** The pattern of a value whose ending is a second parameter. */
export const VALUE_AND_FORMAT = '{}.{dynamic}';

const ENDINGS_MIN = 3;
/** Mean number of endings with which a value was seen. */
const FORMATS_PER_VALUE_MIN = 1.5;
const FILE_ENDING = /^[^.].*\.(?:png|jpe?g|gif|svg|webp|pdf|txt|zip|tar|gz|docx?|xlsx?|pptx?|mp[34]|mov|log|md)$/i;

export function isFormat(pattern: string): boolean {
  return pattern.startsWith('{}.');
}

export function readEndings(place: Place): Endings {
  const byValue = new Map<string, Set<string>>();
  const endings = new Set<string>();
  const note = (value: string, ending: string): void => {
    endings.add(ending);
    const known = byValue.get(value) ?? new Set();
    byValue.set(value, known.add(ending));
  };
  for (const word of place.words.keys()) {
    const { pattern, value } = formOf(word);
    if (isFormat(pattern)) note(value, pattern);
    else if (FILE_ENDING.test(word)) note(word.slice(0, word.lastIndexOf('.')), word.slice(word.lastIndexOf('.')));
  }
  for (const [pattern, { samples }] of place.values) {
    if (!isFormat(pattern)) continue;
    endings.add(pattern);
    for (const sample of samples.keys()) note(sample, pattern);
  }
  return deriveRole(byValue, endings);
}

function deriveRole(byValue: ReadonlyMap<string, ReadonlySet<string>>, endings: ReadonlySet<string>): Endings {
  const bases = new Set<string>();
  let pairs = 0;
  for (const [value, known] of byValue) {
    pairs += known.size;
    if (known.size >= ENDINGS_MIN) bases.add(value);
  }
  const hasMany = endings.size >= ENDINGS_MIN;
  const areFormats = hasMany && pairs >= byValue.size * FORMATS_PER_VALUE_MIN;
  return { areFiles: hasMany && !areFormats, areFormats, bases };
}

/** Patterns that a segment may have in a place, the most special one first. */
export function listPatterns(segment: string): readonly string[] {
  const { pattern, value } = formOf(segment);
  return isFormat(pattern)
    ? [`${value}.{}`, pattern, VALUE_AND_FORMAT, '{}']
    : pattern === '{}'
      ? ['{}']
      : [pattern, '{}'];
}
