import { Buffer } from 'node:buffer';
import type { RequestContext } from '../../../platform/http/context.ts';

/** Reads the whole file. Throws request.too_large beyond the limit of the route. */
export async function readUpload({ upload }: Pick<RequestContext, 'upload'>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of upload) chunks.push(chunk);
  return Buffer.concat(chunks);
}
