import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, open, rm, stat } from 'node:fs/promises';
import { applianceRoutes } from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { pipeResponse } from '../new-file.ts';
import type { Given } from '../nouns/verb.ts';
import { note } from '../output.ts';

interface Target {
  readonly clientId: string;
  readonly id: string;
  readonly file: string;
}

/** `"<digest>"`, as the controller sends it. */
const ETAG = /^"([0-9a-f]{64})"$/;

/**
 * Downloads a bundle into a new file that only its owner may read, and verifies its digest. An interrupted download leaves a file that
 * ends in `.part`, and the next one continues there. Never overwrites a file.
 */
export async function downloadBundle(given: Given, { clientId, id, file }: Target): Promise<{ bytes: number }> {
  const part = `${file}.${id.slice(0, 12)}.part`;
  await refuseExisting(file);
  const digest = await fetchRest(given, { clientId, id, part });
  const { bytes, sha256 } = await digestOf(part);
  if (sha256 !== digest) {
    await rm(part, { force: true });
    throw new CliFailure(EXIT.failed, 'The downloaded file has another digest than the bundle. Download it again.');
  }
  // Unlike a rename, this replaces no file that was created meanwhile.
  await link(part, file).catch((error: Error) => {
    throw new CliFailure(EXIT.usage, `${file}: ${error.message}`);
  });
  await rm(part, { force: true });
  return { bytes };
}

/** Resolves with the digest of the whole file. */
async function fetchRest(
  { io, scope }: Given,
  { clientId, id, part }: { readonly clientId: string; readonly id: string; readonly part: string },
): Promise<string> {
  const request = { params: { client_id: clientId, artifact_id: id }, query: { project: scope.project } };
  const from = await sizeOf(part);
  // A complete file has nothing to continue with, so its last byte is fetched again.
  const offset = Math.max(0, from - 1);
  if (offset > 0) note(io, `The download continues at byte ${from}.`);
  const headers: Record<string, string> = offset > 0 ? { range: `bytes=${offset}-` } : {};
  const response = await scope.connection.open(applianceRoutes.downloadBundle, { ...request, headers });
  const digest = ETAG.exec(response.headers.get('etag') ?? '')?.[1];
  if (digest === undefined) {
    await response.body?.cancel();
    throw new CliFailure(EXIT.failed, 'The answer has no digest, so it cannot be verified. Is a proxy in between?');
  }
  const handle = await open(part, 'a', 0o600).catch(async (error: Error) => {
    await response.body?.cancel();
    throw new CliFailure(EXIT.usage, `${part}: ${error.message}`);
  });
  await handle.truncate(response.status === 206 ? offset : 0);
  await pipeResponse(io, response, { to: handle.createWriteStream(), end: true });
  return digest;
}

async function sizeOf(path: string): Promise<number> {
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw new CliFailure(EXIT.usage, `${path}: ${error.message}`);
  });
  return facts?.size ?? 0;
}

async function refuseExisting(file: string): Promise<void> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (!handle) return;
  await handle.close();
  throw new CliFailure(EXIT.usage, `${file}: already exists and is not overwritten`);
}

async function digestOf(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
