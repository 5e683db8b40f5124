interface FileRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly file: Blob;
  readonly signal: AbortSignal;
  /** Share of the file that is sent, from 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/**
 * Sends a file and reports its progress, which `fetch` cannot do. Rejects like `fetch`: with the signal's reason, or a
 * TypeError without an answer.
 */
export function sendFile(url: string, { method, headers, file, signal, onProgress }: FileRequest): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const request = new XMLHttpRequest();
  const abort = () => {
    request.abort();
    reject(signal.reason);
  };
  request.upload.onprogress = ({ loaded, total }) => onProgress?.(total > 0 ? loaded / total : 0);
  request.upload.onload = () => onProgress?.(1);
  request.onload = () => resolve(toResponse(request));
  request.onerror = () => reject(new TypeError('The connection was lost during the upload.'));
  request.onloadend = () => signal.removeEventListener('abort', abort);
  request.open(method, url);
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  if (signal.aborted) abort();
  else {
    signal.addEventListener('abort', abort);
    request.send(file);
  }
  return promise;
}

/** Responses with these statuses have no body, not even an empty one. */
const BODILESS = new Set([204, 205, 304]);

function toResponse(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().split('\r\n')) {
    const at = line.indexOf(':');
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  return new Response(BODILESS.has(request.status) ? null : request.responseText, { status: request.status, headers });
}
