import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Of one module of a build. Modules are named by their ids. */
export interface ModuleFacts {
  readonly importers: readonly string[];
  readonly imports: readonly string[];
  /** Names of values. */
  readonly exports: readonly string[];
}

export interface DoorOptions {
  readonly root: string;
  /** What the ids of the screens' own modules begin with. */
  readonly own: string;
  readonly factsOf: (id: string) => ModuleFacts;
}

/**
 * The files of the screens through which these modules may come in, with lines where they are known: `  src/page.ts:2,5`. Those whose imported names
 * are of modules that do not lead there are left out; of the others some may be innocent, since a module may hold both.
 */
export function describeDoors(ids: readonly string[], { root, own, factsOf }: DoorOptions): string[] {
  const leading = new Set(ids);
  const doors: string[] = [];
  for (const id of leading) {
    if (id.startsWith(own)) doors.push(id);
    else for (const importer of factsOf(id).importers) leading.add(importer);
  }
  const leadsThere = (door: string, name: string) => {
    const homes = findHomes(name, factsOf(door).imports, factsOf);
    return homes.length === 0 || homes.some((home) => leading.has(home));
  };
  const known = doors.map((door) => {
    const lines = findImports(readFileSync(door, 'utf8'));
    const guilty = lines.filter(({ names }) => !names || names.some((name) => leadsThere(door, name)));
    return { file: relative(root, door), lines, guilty };
  });
  const isInnocent = ({ lines, guilty }: (typeof known)[number]) => lines.length > 0 && guilty.length === 0;
  // Somebody brings it in, even when nobody seems to.
  const told = known.every(isInnocent) ? known.map((one) => ({ ...one, guilty: one.lines })) : known;
  return told
    .filter((one) => !isInnocent(one))
    .map(({ file, guilty }) => `  ${[file, guilty.map(({ line }) => line).join(',')].filter(Boolean).join(':')}`)
    .toSorted();
}

/** The modules that make what is exported by that name; those that only pass it on are none of them. */
function findHomes(name: string, from: readonly string[], factsOf: DoorOptions['factsOf']): string[] {
  const seen = new Set(from);
  const exporting = new Set<string>();
  for (const id of seen) {
    const { imports, exports } = factsOf(id);
    if (exports.includes(name)) exporting.add(id);
    for (const next of imports) seen.add(next);
  }
  return [...exporting].filter((id) => !factsOf(id).imports.some((next) => exporting.has(next)));
}

interface ImportLine {
  readonly line: number;
  /** Of the values that are imported; missing where all of them may be meant. */
  readonly names?: readonly string[];
}

const IMPORTS = /^(?:import|export)\s(?!type\s)([^;'"]*?from )?['"](@flotilla\/|node:|zod\b)/gm;

/** Where values are imported from packages of ours, from Node or from zod. */
function findImports(text: string): ImportLine[] {
  return [...text.matchAll(IMPORTS)].map(({ index, 1: clause = '', 2: source }) => {
    const line = text.slice(0, index).split('\n').length;
    const list = /^\{([^}]*)\} from $/.exec(clause)?.[1];
    return list === undefined || source !== '@flotilla/' ? { line } : { line, names: readNames(list) };
  });
}

/** Of `A, type B, C as D`: A and C. */
function readNames(list: string): string[] {
  return list
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '' && !one.startsWith('type '))
    .map((one) => one.replace(/\s+as\s.*$/s, ''));
}
