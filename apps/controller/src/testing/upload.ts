import type { Buffer } from 'node:buffer';
import type { TestCaller, TestController } from './controller.ts';

/** Sends the bytes of a file to an upload route. */
export async function uploadFile(
  t: Pick<TestController, 'app'>,
  caller: Pick<TestCaller, 'token'>,
  { url, file, method = 'POST', headers }: UploadRequest,
) {
  const answer = await t.app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${caller.token}`, 'content-type': 'application/octet-stream', ...headers },
    payload: file,
  });
  return { status: answer.statusCode, body: answer.json() };
}

interface UploadRequest {
  readonly url: string;
  readonly file: Buffer | string;
  readonly method?: 'POST' | 'PUT';
  readonly headers?: Record<string, string>;
}
