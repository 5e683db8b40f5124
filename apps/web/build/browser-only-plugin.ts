import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Plugin } from 'vite';

/** What no page can run, by the ids of modules. */
const NOT_FOR_BROWSERS = [
  { title: 'modules of Node', pattern: /^(?:__vite-browser-external|node:)/ },
  // It tries whether it may make code, which the policy of the page forbids: browsers tell that as an attack.
  { title: 'zod, of which the schemas of the contract are made', pattern: /\/node_modules\/zod\// },
] as const;

/**
 * Refuses a build that takes into the browser what does not work there, with the lines of the screens that bring it in.
 * What is imported and not used is left out of a build, and no reason to refuse it.
 * `root`: the folder of the screens.
 */
export function browserOnlyPlugin(root: string): Plugin {
  const own = join(root, 'src') + sep;
  return {
    name: 'flotilla-browser-only',
    generateBundle(_options, bundle) {
      const taken = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []));
      const importersOf = (id: string) => {
        const info = this.getModuleInfo(id);
        return info ? [...info.importers, ...info.dynamicImporters] : [];
      };
      for (const { title, pattern } of NOT_FOR_BROWSERS) {
        const places = findDoors(
          taken.filter((id) => pattern.test(id)),
          importersOf,
          own,
        ).map((file) => `  ${relative(root, file)}:${findLines(file).join(',')}`);
        if (places.length > 0)
          this.error(`The browser cannot run ${title}. It comes by\n${places.toSorted().join('\n')}`);
      }
    },
  };
}

/** The files of the screens through which modules come in. */
function findDoors(ids: readonly string[], importersOf: (id: string) => readonly string[], own: string): string[] {
  const seen = new Set(ids);
  const doors = [];
  for (const id of seen) {
    if (id.startsWith(own)) doors.push(id);
    else for (const importer of importersOf(id)) seen.add(importer);
  }
  return doors;
}

/** Lines on which values are imported from packages of ours, from Node or from zod. */
function findLines(file: string): number[] {
  const text = readFileSync(file, 'utf8');
  const imports = text.matchAll(/^(?:import|export)\s(?!type\s)(?:[^;'"]*?from )?['"](?:@flotilla\/|node:|zod\b)/gm);
  return [...imports].map(({ index }) => text.slice(0, index).split('\n').length);
}
