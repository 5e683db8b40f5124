import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bodiesPlugin } from '../../build/bodies-plugin.ts';
import { browserOnlyPlugin } from '../../build/browser-only-plugin.ts';
import { policyPlugin } from '../../build/policy-plugin.ts';
import { routesPlugin } from '../../build/routes-plugin.ts';

const SCREENS = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const LIBRARY = /^(?!@flotilla\/|virtual:|zod\b|node:|__vite)[\w@]/;

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'flotilla-screens-')));
  await mkdir(join(root, 'src'));
  await symlink(join(SCREENS, '..', '..', 'node_modules'), join(root, 'node_modules'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** Builds a page and returns its code. */
async function buildPage(folder: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    root: folder,
    plugins: [routesPlugin(), bodiesPlugin(), policyPlugin(), browserOnlyPlugin(folder)],
    build: {
      write: false,
      target: 'es2023',
      rolldownOptions: { input: join(folder, 'src/main.tsx'), external: (id) => LIBRARY.test(id) },
    },
  });
  const outputs = [result].flat().flatMap((one) => ('output' in one ? one.output : []));
  return outputs.map((file) => (file.type === 'chunk' ? file.code : '')).join('\n');
}

async function writeScreen(name: string, text: string): Promise<void> {
  await writeFile(join(root, 'src', name), text);
}

it('the build of the screens contains no modules that need Node', async () => {
  expect((await buildPage(SCREENS)).length).toBeGreaterThan(100_000);
});

it('imported texts of the contract come without its schemas', async () => {
  await writeScreen('main.tsx', "import { ROUTE_FAMILIES } from '@flotilla/contract';\nconsole.log(ROUTE_FAMILIES);\n");
  const code = await buildPage(root);
  expect(code).toContain('maintenance');
  expect(code.length).toBeLessThan(2000);
});

it('a build that imports a schema is refused with the line of the import', async () => {
  await writeScreen('main.tsx', "import { isReader } from './page.ts';\nconsole.log(isReader);\n");
  const page = "import type { Role } from '@flotilla/contract';\nimport { roleSchema } from '@flotilla/contract';\n";
  await writeScreen('page.ts', `${page}export const isReader = (role: Role) => roleSchema.options.includes(role);\n`);
  await expect(buildPage(root)).rejects.toThrow(/zod[\s\S]*\n {2}src\/page\.ts:2$/m);
});

it('a build that imports a Node module is refused with the line of the import, also through one of our packages', async () => {
  await writeScreen(
    'main.tsx',
    "import './page.ts';\nimport { join } from 'node:path';\nconsole.log(join('a', 'b'));\n",
  );
  await writeScreen('page.ts', "import {\n  createId,\n} from '@flotilla/kit';\nconsole.log(createId());\n");
  await expect(buildPage(root)).rejects.toThrow(/Node[\s\S]*\n {2}src\/main\.tsx:2\n {2}src\/page\.ts:1$/m);
});

it('a file that imports only texts is not reported beside a file that imports schemas, but a file that imports both is', async () => {
  await writeScreen('main.tsx', "import './clean.ts';\nimport './page.ts';\nimport './both.ts';\n");
  await writeScreen('clean.ts', "import { ROUTE_FAMILIES } from '@flotilla/contract';\nconsole.log(ROUTE_FAMILIES);\n");
  await writeScreen('page.ts', "import { roleSchema } from '@flotilla/contract';\nconsole.log(roleSchema);\n");
  const both = "import {\n  ROUTE_FAMILIES as families,\n  type Role,\n  roleSchema,\n} from '@flotilla/contract';\n";
  await writeScreen('both.ts', `${both}console.log(families, roleSchema as unknown as Role);\n`);
  await expect(buildPage(root)).rejects.toThrow(
    /zod[^\n]*comes by one or more of\n {2}src\/both\.ts:1\n {2}src\/page\.ts:1$/m,
  );
});

it('an import without names counts as an import of the whole package', async () => {
  await writeScreen('main.tsx', "import './clean.ts';\nimport './page.ts';\n");
  await writeScreen('clean.ts', "import { ROUTE_FAMILIES } from '@flotilla/contract';\nconsole.log(ROUTE_FAMILIES);\n");
  await writeScreen('page.ts', "import * as contract from '@flotilla/contract';\nconsole.log(contract);\n");
  await expect(buildPage(root)).rejects.toThrow(/zod[^\n]*comes by\n {2}src\/page\.ts:1$/m);
});
