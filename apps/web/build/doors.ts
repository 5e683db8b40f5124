import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Describes one module of a build. Modules are identified by their IDs. */
export interface ModuleFacts {
  readonly importers: readonly string[];
  readonly imports: readonly string[];
  readonly exports: readonly string[];
}

export interface DoorOptions {
  readonly root: string;
  /** Prefix of the IDs of the modules that belong to the screens. */
  readonly own: string;
  readonly factsOf: (id: string) => ModuleFacts;
}

/**
 * Lists the files of the screens through which these modules may be imported, with line numbers if known: `
 * src/page.ts:2,5`. Leaves out imports that cannot lead there. The rest may contain false positives, because a module
 * may hold both.
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
  // The module is imported somewhere, even if no candidate seems to import it.
  const reported = known.every(isInnocent) ? known.map((one) => ({ ...one, guilty: one.lines })) : known;
  return reported
    .filter((one) => !isInnocent(one))
    .map(({ file, guilty }) => `  ${[file, guilty.map(({ line }) => line).join(',')].filter(Boolean).join(':')}`)
    .toSorted();
}

/** Finds the modules that define an export of that name, not those that only re-export it. */
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
  /** Imported values; undefined if the import may use all of them. */
  readonly names?: readonly string[];
}

const IMPORTS = /^(?:import|export)\s(?!type\s)([^;'"]*?from )?['"](@flotilla\/|node:|zod\b)/gm;

/** Finds the lines that import values from our packages, from Node or from zod. */
function findImports(text: string): ImportLine[] {
  return [...text.matchAll(IMPORTS)].map(({ index, 1: clause = '', 2: source }) => {
    const line = text.slice(0, index).split('\n').length;
    const list = /^\{([^}]*)\} from $/.exec(clause)?.[1];
    return list === undefined || source !== '@flotilla/' ? { line } : { line, names: readNames(list) };
  });
}

/** Reads the value names from `A, type B, C as D`: A and C. */
function readNames(list: string): string[] {
  return list
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '' && !one.startsWith('type '))
    .map((one) => one.replace(/\s+as\s.*$/s, ''));
}
