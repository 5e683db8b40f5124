import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The official client of OpenStack, which checks that our test server speaks its protocol. */
const REQUIREMENT = 'openstacksdk==4.22.0';
const FOLDER = fileURLToPath(new URL('../../../node_modules/.cache/openstacksdk-4.22.0', import.meta.url));

/** Runs a Python program with openstacksdk and returns its output. Installs the SDK first; pip checks the digests of its index. */
export async function runWithOpenStackSdk(program: string, args: readonly string[]): Promise<string> {
  await ensureInstalled();
  // No configuration of the machine's user applies.
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', PYTHONPATH: FOLDER, PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout } = await run('python3', ['-c', program, ...args], { env, timeout: 120_000 });
  return stdout;
}

async function ensureInstalled(): Promise<void> {
  const isThere = await access(FOLDER).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  await mkdir(dirname(FOLDER), { recursive: true });
  const stage = await mkdtemp(`${FOLDER}-`);
  try {
    const install = ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', '--target', join(stage, 'sdk')];
    await run('python3', [...install, REQUIREMENT], { timeout: 300_000 });
    await rename(join(stage, 'sdk'), FOLDER);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}
