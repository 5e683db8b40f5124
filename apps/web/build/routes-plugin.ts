import type { AuditWords, SettingsType } from '@flotilla/contract';
import type { Plugin } from 'vite';

const ID = 'virtual:routes';
const SUFFIX = 'Routes';

/**
 * Provides the routes of the contract without their schemas: the fields for a call and for a check of rights, and the kinds of settings that
 * have pages. The schemas and zod stay out of the browser; TypeScript still sees their types (src/api/routes.ts).
 */
export function routesPlugin(): Plugin {
  return {
    name: 'flotilla-routes',
    resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
    async load(id) {
      if (id !== `\0${ID}`) return undefined;
      const contract: Record<string, unknown> = await import('@flotilla/contract');
      const families = Object.entries(contract)
        .filter(([name]) => name.endsWith(SUFFIX))
        .map(([name, family]) => [name.slice(0, -SUFFIX.length), stripFamily(family as Family)]);
      const kinds = (contract.SETTINGS as readonly SettingsType[])
        .filter(({ isUnused }) => !isUnused)
        .map(({ key, title, scope, area, named }) => ({ key, title, scope, area, isNamed: named !== undefined }));
      return `export const routes = ${JSON.stringify(Object.fromEntries(families))};
export const settingKinds = ${JSON.stringify(kinds)};
export const auditWords = ${JSON.stringify(mergeWords(contract))};`;
    },
  };
}

/** The words of all features for the audit log. */
function mergeWords(contract: Record<string, unknown>): Required<AuditWords> {
  const words = Object.entries(contract).flatMap(([name, value]) =>
    name.endsWith('AuditWords') && typeof value === 'object' ? [value as AuditWords] : [],
  );
  return {
    actions: Object.assign({}, ...words.map(({ actions }) => actions)),
    nouns: Object.assign({}, ...words.map(({ nouns }) => nouns)),
    own: words.flatMap(({ own = [] }) => own),
  };
}

interface Stripped {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly access: unknown;
  readonly project: string;
  /** Bytes. Set for file uploads, so that the page can refuse a larger file before sending it. */
  readonly bodyLimit?: number | undefined;
}
type Family = Record<string, Stripped & { readonly upload?: boolean | undefined }>;

function stripFamily(family: Family): Record<string, Stripped> {
  return Object.fromEntries(
    Object.entries(family).map(([name, { id, method, path, access, project, upload, bodyLimit }]) => [
      name,
      { id, method, path, access, project, ...(upload && { bodyLimit }) },
    ]),
  );
}
