import { Buffer } from 'node:buffer';
import { err, findDownloadAddressProblem, ok, type Result } from '@flotilla/kit';

const INDEX_MAX_BYTES = 8 * 1024 * 1024;
const REDIRECTS_MAX = 5;

export interface FetchedIndex {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly etag: string | undefined;
}

export interface FetchIndexOptions {
  /** The tag of the known index. */
  readonly etag: string | undefined;
  readonly timeoutMs: number;
}

/**
 * Downloads an index. `unchanged` if the archive confirms the known one. The error says why it cannot be read, and does
 * not contain the address.
 */
export async function fetchIndex(
  url: string,
  { etag, timeoutMs }: FetchIndexOptions,
): Promise<Result<FetchedIndex | 'unchanged', string>> {
  const signal = AbortSignal.timeout(timeoutMs);
  let at = url;
  try {
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
      const problem = findDownloadAddressProblem(at, url);
      if (problem !== undefined)
        return err(`${redirects === 0 ? 'its address' : 'it redirects to one that'} ${problem}`);
      const response = await fetch(at, {
        signal,
        redirect: 'manual',
        headers: { accept: 'application/json', ...(etag !== undefined && { 'if-none-match': etag }) },
      });
      const location = response.headers.get('location');
      if (response.status >= 300 && response.status < 400 && response.status !== 304 && location !== null) {
        await response.body?.cancel();
        at = URL.parse(location, at)?.href ?? '';
        continue;
      }
      if (response.status === 304 && etag !== undefined) return ok('unchanged');
      if (response.status === 200) return await readIndex(response);
      await response.body?.cancel();
      return err(`it answered ${response.status}`);
    }
    return err(`it redirects more than ${REDIRECTS_MAX} times`);
  } catch (error) {
    return err(describe(error, timeoutMs));
  }
}

async function readIndex(response: Response): Promise<Result<FetchedIndex, string>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > INDEX_MAX_BYTES) return err(`its index is larger than ${INDEX_MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return ok({
    bytes: Buffer.concat(chunks),
    contentType: response.headers.get('content-type') ?? 'application/json',
    etag: response.headers.get('etag') ?? undefined,
  });
}

function describe(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${timeoutMs} ms`;
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return typeof cause?.code === 'string' ? `connection failed (${cause.code})` : 'connection failed';
}
