import type { Place } from './place.ts';
import { formOf } from './segment-form.ts';
import { wordsOf } from './words.ts';

/** The role of endings such as `.json` in one place. */
export interface Endings {
  /** They belong to the values: names of files have many endings. */
  readonly areFiles: boolean;
  /** Words that end like files are values. */
  readonly haveFileNames: boolean;
  /** They are a parameter of their own: the same values have several. */
  readonly areFormats: boolean;
  /** Words with an ending that is a parameter (`report.json`, `report.xml`, `report.csv`). */
  readonly bases: ReadonlySet<string>;
}

/** The pattern of a value whose ending is a second parameter. */
export const VALUE_AND_FORMAT = '{}.{dynamic}';

const ENDINGS_MIN = 3;
/** Fewer files beside each other may be files of a site. */
const FILE_NAMES_MIN = 8;
/** Mean number of endings with which a value was seen. */
const FORMATS_PER_VALUE_MIN = 1.5;
/** A smaller share of texts with several endings: they are names of files that are alike by chance. */
const BASES_SHARE_MIN = 0.3;
const FILE_ENDING = /^[^.].*\.(?:png|jpe?g|gif|svg|webp|pdf|txt|zip|tar|gz|docx?|xlsx?|pptx?|mp[34]|mov|log|md)$/i;
const ANY_ENDING = /^([A-Za-z][\w-]*)\.([a-z][a-z0-9]{0,11})$/i;

export function isFileName(word: string): boolean {
  return FILE_ENDING.test(word);
}

export function isFormat(pattern: string): boolean {
  return pattern.startsWith('{}.');
}

/** A text and its ending: of a format, of a file, or a word after a single dot. */
export function splitEnding(word: string): { readonly base: string; readonly ending: string } | undefined {
  const { pattern, value } = formOf(word);
  if (isFormat(pattern)) return { base: value, ending: pattern.slice(pattern.indexOf('.') + 1) };
  const any = ANY_ENDING.exec(word);
  return any === null ? undefined : { base: any[1] ?? '', ending: any[2] ?? '' };
}

export function readEndings(place: Place): Endings {
  const values = new Map<string, Set<string>>();
  const words = new Map<string, Set<string>>();
  for (const word of place.words.keys()) {
    const split = splitEnding(word);
    if (split === undefined) continue;
    note(words, split.base, split.ending);
    if (isFormat(formOf(word).pattern) || isFileName(word)) note(values, split.base, split.ending);
  }
  for (const [pattern, { samples }] of place.values) {
    if (isFormat(pattern))
      for (const sample of samples.keys()) note(values, sample, pattern.slice(pattern.indexOf('.') + 1));
  }
  const files = [...place.words.keys()].filter(isFileName);
  return { ...deriveRole(values), bases: listBases(words), haveFileNames: files.length >= FILE_NAMES_MIN };
}

function note(endings: Map<string, Set<string>>, base: string, ending: string): void {
  endings.set(base, (endings.get(base) ?? new Set()).add(ending));
}

function deriveRole(byValue: ReadonlyMap<string, ReadonlySet<string>>): Pick<Endings, 'areFiles' | 'areFormats'> {
  const endings = new Set<string>();
  let pairs = 0;
  for (const known of byValue.values()) {
    pairs += known.size;
    for (const ending of known) endings.add(ending);
  }
  const hasMany = endings.size >= ENDINGS_MIN;
  const areFormats = areChoice(endings) && pairs >= byValue.size * FORMATS_PER_VALUE_MIN;
  return { areFiles: hasMany && !areFormats, areFormats };
}

/** JSON and XML are answers to the same request; JSON and YAML may be two documents. */
function areChoice(endings: ReadonlySet<string>): boolean {
  return endings.size >= ENDINGS_MIN || (endings.has('json') && endings.has('xml'));
}

/** A word of API vocabulary with several endings is one, and most others that have the same endings are; they may be values where few are words. */
function listBases(words: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const bases = [...words].filter(([, endings]) => areChoice(endings));
  if (bases.length < words.size * BASES_SHARE_MIN) return new Set();
  const known = bases.filter(([base]) => bases.length === 1 || wordsOf(base).knownShare >= 0.5);
  const choices = new Set(known.flatMap(([, endings]) => [...endings]));
  const others = known.length < bases.length / 2 ? [] : bases.filter(([, endings]) => isPartOf(endings, choices));
  return new Set([...known, ...others].map(([base]) => base));
}

function isPartOf(endings: ReadonlySet<string>, choices: ReadonlySet<string>): boolean {
  let common = 0;
  for (const ending of endings) if (choices.has(ending)) common += 1;
  return common >= endings.size / 2;
}

/** Patterns that a segment may have in a place, the most special one first. */
export function listPatterns(segment: string): readonly string[] {
  const { pattern } = formOf(segment);
  const split = splitEnding(segment);
  const patterns = split === undefined ? [] : [`${split.base}.{}`];
  if (isFormat(pattern)) patterns.push(pattern, VALUE_AND_FORMAT);
  else if (pattern !== '{}') patterns.push(pattern);
  return [...patterns, '{}'];
}
