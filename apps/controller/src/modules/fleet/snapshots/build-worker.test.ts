import { fileURLToPath } from 'node:url';
import { listModules } from '@flotilla/testkit';
import { expect, it } from 'vitest';

const modulesOf = (file: string) => listModules(fileURLToPath(new URL(file, import.meta.url)));
const isOfDatabase = (path: string) => /^packages\/db\/|^node_modules\/(?:pg|pg-pool|kysely)\//.test(path);

it('the process that builds documents loads no database code', async () => {
  const loaded = await modulesOf('build-worker.ts');
  expect(loaded).toContain('packages/translate/src/large-build.ts');
  expect(loaded.filter(isOfDatabase)).toEqual([]);
  expect((await modulesOf('scope-documents.ts')).filter(isOfDatabase)).not.toEqual([]);
});
