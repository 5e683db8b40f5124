import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { err, ok, type Result } from '@flotilla/kit';

/** Short, so that in a closed network the next source is tried soon. */
const HEADERS_TIMEOUT_MS = 5_000;
const STALL_TIMEOUT_MS = 30_000;
const MAX_BYTES = 1 << 30;
const MAX_TEXT_BYTES = 1 << 20;

export interface DownloadOptions {
  readonly onBytes?: (received: number, total: number | undefined) => void;
  readonly maxBytes?: number;
}

/**
 * Streams `url` into the new file `path` and returns the SHA-256 of the synced content. Follows redirects. A body
 * shorter than announced is an error; the caller deletes the partial file with its folder.
 */
export async function downloadFile(
  url: string,
  path: string,
  options: DownloadOptions = {},
): Promise<Result<string, string>> {
  return withResponse(url, async (response, touch) => {
    const announced = Number(response.headers.get('content-length') ?? Number.NaN);
    const total = Number.isFinite(announced) ? announced : undefined;
    const max = options.maxBytes ?? MAX_BYTES;
    if (total !== undefined && total > max) return err(`is ${total} bytes, more than the limit of ${max}`);
    const hash = createHash('sha256');
    const file = await open(path, 'wx', 0o755);
    let received = 0;
    try {
      for await (const chunk of response.body ?? []) {
        touch();
        received += chunk.length;
        if (received > max) return err(`sent more than the limit of ${max} bytes`);
        hash.update(chunk);
        await file.writeFile(chunk);
        options.onBytes?.(received, total);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    return ok(hash.digest('hex'));
  });
}

/** Downloads a small text, e.g. a checksum file. */
export async function downloadText(url: string): Promise<Result<string, string>> {
  return withResponse(url, async (response, touch) => {
    const chunks: Uint8Array[] = [];
    let received = 0;
    for await (const chunk of response.body ?? []) {
      touch();
      received += chunk.length;
      if (received > MAX_TEXT_BYTES) return err(`sent more than ${MAX_TEXT_BYTES} bytes`);
      chunks.push(chunk);
    }
    return ok(Buffer.concat(chunks).toString('utf8'));
  });
}

async function withResponse<T>(
  url: string,
  read: (response: Response, touch: () => void) => Promise<Result<T, string>>,
): Promise<Result<T, string>> {
  const abort = new AbortController();
  let timer = setTimeout(() => abort.abort(new Error(`no answer within ${HEADERS_TIMEOUT_MS} ms`)), HEADERS_TIMEOUT_MS);
  const touch = () => {
    clearTimeout(timer);
    timer = setTimeout(() => abort.abort(new Error(`no bytes for ${STALL_TIMEOUT_MS} ms`)), STALL_TIMEOUT_MS);
  };
  try {
    const response = await fetch(url, { signal: abort.signal, redirect: 'follow' });
    touch();
    if (!response.ok) {
      await response.body?.cancel();
      return err(`answered ${response.status}`);
    }
    return await read(response, touch);
  } catch (error) {
    return err(describeFailure(error));
  } finally {
    clearTimeout(timer);
  }
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message}${cause}`;
}
