// The programs straight from the TypeScript sources, started again when a source changes. The screens are built once, when
// they are older than their sources; apps/web/README.md says how to work on them.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureScreensBuilt } from './build.mjs';
import { follow } from './foreground.mjs';
import { ensureInstalled, findNode, ROOT } from './setup.mjs';

ensureInstalled();
ensureScreensBuilt();
const args = process.argv.length > 2 ? process.argv.slice(2) : ['up'];
// Not the screens: they are no part of the programs.
const watched = ['agent', 'cli', 'controller', 'shield'].map((app) => join('apps', app));
const flags = [...watched, 'packages'].map((dir) => `--watch-path=${join(ROOT, dir)}`);
follow(spawn(findNode(), [...flags, join(ROOT, 'apps/cli/src/entry.ts'), ...args], { stdio: 'inherit' }));
