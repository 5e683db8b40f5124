import { join, sep } from 'node:path';
import type { Plugin } from 'vite';
import { describeDoors, type ModuleFacts } from './doors.ts';

/** Modules that no page can run, by ID. */
const NOT_FOR_BROWSERS = [
  { title: 'modules of Node', pattern: /^(?:__vite-browser-external|node:)/ },
  // zod probes whether it may generate code. The content security policy forbids that, and browsers report the attempt
  // as an attack.
  { title: 'zod, of which the schemas of the contract are made', pattern: /\/node_modules\/zod\// },
] as const;

/**
 * Refuses a build that pulls browser-incompatible modules into the screens, and lists the lines that import them.
 * Unused imports are tree-shaken and are no reason to refuse a build. `root`: the folder of the screens.
 */
export function browserOnlyPlugin(root: string): Plugin {
  const own = join(root, 'src') + sep;
  return {
    name: 'flotilla-browser-only',
    generateBundle(_options, bundle) {
      const taken = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []));
      const factsOf = (id: string): ModuleFacts => {
        const info = this.getModuleInfo(id);
        return {
          importers: info ? [...info.importers, ...info.dynamicImporters] : [],
          imports: info?.importedIds ?? [],
          exports: info?.exports ?? [],
        };
      };
      for (const { title, pattern } of NOT_FOR_BROWSERS) {
        const places = describeDoors(
          taken.filter((id) => pattern.test(id)),
          { root, own, factsOf },
        );
        const by = places.length > 1 ? ' one or more of' : '';
        if (places.length > 0) this.error(`The browser cannot run ${title}. It comes by${by}\n${places.join('\n')}`);
      }
    },
  };
}
