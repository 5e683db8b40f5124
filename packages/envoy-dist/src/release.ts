import { join } from 'node:path';
import { err, ok, type Result } from '@flotilla/kit';
import { downloadFile, downloadText } from './download.ts';
import { type Fetched, type FetchFailure, type FetchRequest, fetchFailure } from './source.ts';

export const RELEASES_URL = 'https://github.com/envoyproxy/envoy/releases/download';

/** Machine names on the release page. */
const MACHINES: Readonly<Record<string, string>> = { 'linux-x64': 'linux-x86_64', 'linux-arm64': 'linux-aarch_64' };
/** Whether Envoy is published for the machine (`linux-x64`), so that it can be downloaded. */
export function isPublishedFor(machine: string): boolean {
  return Object.hasOwn(MACHINES, machine);
}

const CHECKSUM_FILES = ['checksums.txt.asc', 'checksums.txt'];

/** Downloads from Envoy's release page, with the digest from the published checksum file. */
export async function fetchRelease(request: FetchRequest, baseUrl: string): Promise<Result<Fetched, FetchFailure>> {
  const machine = MACHINES[request.machine];
  const folder = `${baseUrl}/v${request.version}`;
  if (!machine) return fail(folder, `has no binary for ${request.machine}`);
  const name = `envoy-${request.version}-${machine}`;
  const checksums = await findChecksums(folder);
  if (!checksums.ok) return fail(`${folder}/${CHECKSUM_FILES[0]}`, checksums.error);
  const expected = parseChecksum(checksums.value, name);
  if (!expected) return fail(folder, `publishes no checksum for ${name}`);
  return fetchVerified(request, `${folder}/${name}`, expected);
}

async function fetchVerified(
  request: FetchRequest,
  url: string,
  expected: string,
): Promise<Result<Fetched, FetchFailure>> {
  const path = join(request.stage, 'download');
  const digest = await downloadFile(url, path, {
    onBytes: (receivedBytes, totalBytes) =>
      request.onProgress({ source: 'release', step: 'download', receivedBytes, totalBytes }),
  });
  if (!digest.ok) return fail(url, digest.error.problem);
  if (digest.value !== expected) {
    const problem = `has SHA-256 ${digest.value}, published is ${expected}`;
    return err(fetchFailure({ source: 'release', where: url, problem }, true));
  }
  return ok({ path, sha256: digest.value, origin: url });
}

async function findChecksums(folder: string): Promise<Result<string, string>> {
  let failure = 'none';
  for (const name of CHECKSUM_FILES) {
    const text = await downloadText(`${folder}/${name}`);
    if (text.ok) return ok(text.value);
    failure = text.error.problem;
    // Another name helps only if the server responded
    if (!failure.startsWith('answered')) break;
  }
  return err(failure);
}

/** The digest of `name` in the format of sha256sum; the file may be clear-signed, and its names may have folders. */
export function parseChecksum(text: string, name: string): string | undefined {
  for (const line of text.split(/\r?\n/)) {
    const match = /^([0-9a-fA-F]{64})[ \t]+\*?(\S+)$/.exec(line.trim());
    if (match?.[2] && match[2].split('/').at(-1) === name) return match[1]?.toLowerCase();
  }
  return undefined;
}

function fail(where: string, problem: string): Result<Fetched, FetchFailure> {
  return err(fetchFailure({ source: 'release', where, problem }));
}
