import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { err, findDownloadAddressProblem, ok, type Result } from '@flotilla/kit';

/** Short, so that in a closed network the next source is tried soon. */
const HEADERS_TIMEOUT_MS = 5_000;
const STALL_TIMEOUT_MS = 30_000;
const MAX_BYTES = 1 << 30;
const MAX_TEXT_BYTES = 1 << 20;

const REDIRECTS_MAX = 5;

export interface DownloadOptions {
  readonly onBytes?: (received: number, total: number | undefined) => void;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  /** Only https, or http on loopback, also after a redirect; no credentials in the address. */
  readonly onlyAllowedAddresses?: boolean;
}

/** Why nothing usable was downloaded. */
export interface DownloadFailure {
  readonly kind: 'unreachable' | 'missing' | 'address' | 'too_large' | 'aborted';
  readonly problem: string;
}

/**
 * Streams `url` into the new file `path` and returns the SHA-256 of the synced content. Follows redirects. A body
 * shorter than announced is an error; the caller deletes the partial file with its folder.
 */
export async function downloadFile(
  url: string,
  path: string,
  options: DownloadOptions = {},
): Promise<Result<string, DownloadFailure>> {
  return withResponse(url, options, async (response, touch) => {
    const announced = Number(response.headers.get('content-length') ?? Number.NaN);
    const total = Number.isFinite(announced) ? announced : undefined;
    const max = options.maxBytes ?? MAX_BYTES;
    if (total !== undefined && total > max) return tooLarge(`is ${total} bytes, more than the limit of ${max}`);
    // A compressed body has another size than the announced one.
    const encoding = response.headers.get('content-encoding') ?? 'identity';
    if (encoding !== 'identity')
      return tooLarge(`is sent with the encoding ${encoding.slice(0, 32)}, which was not asked for`);
    const hash = createHash('sha256');
    const file = await open(path, 'wx', 0o755);
    let received = 0;
    try {
      for await (const chunk of response.body ?? []) {
        touch();
        received += chunk.length;
        if (received > max) return tooLarge(`sent more than the limit of ${max} bytes`);
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
export async function downloadText(url: string): Promise<Result<string, DownloadFailure>> {
  return withResponse(url, {}, async (response, touch) => {
    const chunks: Uint8Array[] = [];
    let received = 0;
    for await (const chunk of response.body ?? []) {
      touch();
      received += chunk.length;
      if (received > MAX_TEXT_BYTES) return tooLarge(`sent more than ${MAX_TEXT_BYTES} bytes`);
      chunks.push(chunk);
    }
    return ok(Buffer.concat(chunks).toString('utf8'));
  });
}

async function withResponse<T>(
  url: string,
  options: DownloadOptions,
  read: (response: Response, touch: () => void) => Promise<Result<T, DownloadFailure>>,
): Promise<Result<T, DownloadFailure>> {
  const abort = new AbortController();
  const signal = options.signal ? AbortSignal.any([abort.signal, options.signal]) : abort.signal;
  let timer = setTimeout(() => abort.abort(new Error(`no answer within ${HEADERS_TIMEOUT_MS} ms`)), HEADERS_TIMEOUT_MS);
  const touch = () => {
    clearTimeout(timer);
    timer = setTimeout(() => abort.abort(new Error(`no bytes for ${STALL_TIMEOUT_MS} ms`)), STALL_TIMEOUT_MS);
  };
  try {
    const response = await follow(url, { signal, isStrict: options.onlyAllowedAddresses === true });
    if (!response.ok) return response;
    touch();
    return await read(response.value, touch);
  } catch (error) {
    if (options.signal?.aborted) return err({ kind: 'aborted', problem: 'the download was stopped' });
    if (isFileError(error)) throw error;
    return err({ kind: 'unreachable', problem: describeFailure(error) });
  } finally {
    clearTimeout(timer);
  }
}

async function follow(
  url: string,
  { signal, isStrict }: { readonly signal: AbortSignal; readonly isStrict: boolean },
): Promise<Result<Response, DownloadFailure>> {
  let at = url;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const wrong = isStrict ? findDownloadAddressProblem(at, url) : undefined;
    if (wrong !== undefined) {
      return err({ kind: 'address', problem: `${redirects === 0 ? '' : 'redirects to an address that '}${wrong}` });
    }
    const headers = { 'accept-encoding': 'identity' };
    const response = await fetch(at, { signal, headers, redirect: 'manual' });
    const location = response.headers.get('location');
    if (response.ok) return ok(response);
    await response.body?.cancel();
    if (response.status < 300 || response.status >= 400 || location === null) {
      const kind = response.status === 404 || response.status === 410 ? 'missing' : 'unreachable';
      return err({ kind, problem: `answered ${response.status}` });
    }
    at = URL.parse(location, at)?.href ?? location;
  }
  return err({ kind: 'unreachable', problem: `redirects more than ${REDIRECTS_MAX} times` });
}

/** A disk that is full or closed is not the fault of the server. */
function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && ['open', 'write', 'fsync'].includes(String(error.syscall));
}

function tooLarge(problem: string): Result<never, DownloadFailure> {
  return err({ kind: 'too_large', problem });
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message}${cause}`;
}
