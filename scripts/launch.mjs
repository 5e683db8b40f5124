import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { follow } from './foreground.mjs';
import { ensureInstalled, findNode } from './setup.mjs';

/** Runs `flotilla <args>` from the bundle, installing and building what is missing. */
export async function launch(args) {
  ensureInstalled();
  const bundle = ensureBuilt();
  if (Number(process.versions.node.split('.')[0]) >= 24) {
    process.argv.splice(1, process.argv.length, bundle, ...args);
    await import(pathToFileURL(bundle).href);
    return;
  }
  const child = spawn(findNode(), ['--enable-source-maps', bundle, ...args], { stdio: 'inherit' });
  follow(child);
}
