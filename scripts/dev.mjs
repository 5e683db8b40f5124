// The programs straight from the TypeScript sources, started again when a source changes.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { follow } from './foreground.mjs';
import { ensureInstalled, findNode, ROOT } from './setup.mjs';

ensureInstalled();
const args = process.argv.length > 2 ? process.argv.slice(2) : ['up'];
const watched = ['apps', 'packages'].map((dir) => `--watch-path=${join(ROOT, dir)}`);
follow(spawn(findNode(), [...watched, join(ROOT, 'apps/cli/src/entry.ts'), ...args], { stdio: 'inherit' }));
