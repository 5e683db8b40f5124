import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const cwd = fileURLToPath(new URL('../packages/proto', import.meta.url));
for (const args of [['lint'], ['generate']]) {
  const { status } = spawnSync('buf', args, { cwd, stdio: 'inherit' });
  if (status !== 0) {
    process.exitCode = status ?? 1;
    break;
  }
}
