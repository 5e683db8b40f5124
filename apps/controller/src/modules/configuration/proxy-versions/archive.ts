import { Buffer } from 'node:buffer';
import { failDocument } from '@flotilla/contract';

export interface Catalog {
  readonly bytes: Buffer;
  readonly contentType: string;
}

const CATALOG_TIMEOUT_MS = 10_000;
const CATALOG_MAX_BYTES = 8 * 1024 * 1024;

/** Relays `{archive_url}/index.json`. Throws archive.unavailable with the reason. */
export async function fetchCatalog(archiveUrl: string | undefined, timeoutMs = CATALOG_TIMEOUT_MS): Promise<Catalog> {
  // Waiting does not help, so there is no Retry-After.
  if (!archiveUrl)
    throw failDocument('archive.unavailable', { reason: 'no archive is configured; set SVC_ARCHIVE_URL' });
  const url = `${archiveUrl.replace(/\/+$/, '')}/index.json`;
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: 'application/json' },
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw unavailable(`it answered ${response.status}`);
    }
    const bytes = await readCapped(response);
    return { bytes, contentType: response.headers.get('content-type') ?? 'application/json' };
  } catch (error) {
    if (error instanceof Error && error.name === 'AppError') throw error;
    throw unavailable(describe(error, timeoutMs), error);
  }
}

async function readCapped(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > CATALOG_MAX_BYTES) throw unavailable(`its catalog is larger than ${CATALOG_MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Omits the address, because it may contain credentials. */
function describe(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${timeoutMs} ms`;
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return typeof cause?.code === 'string' ? `connection failed (${cause.code})` : 'connection failed';
}

function unavailable(reason: string, cause?: unknown): Error {
  return failDocument('archive.unavailable', { reason }, { cause, extra: { retry_after: 10 } });
}
