import * as z from 'zod';
import type { News } from '../../../platform/events/index.ts';

const schema = z.object({ project: z.string(), version: z.string(), keys: z.array(z.string()) });

/** Each key is a collection and a name, which may contain slashes. */
export function readDocumentNews(payload: unknown): News[] {
  const { data } = schema.safeParse(payload);
  return (data?.keys ?? []).map((key) => {
    const end = key.indexOf('/');
    const place = { collection: key.slice(0, end), name: key.slice(end + 1), version: data?.version };
    return { project: data?.project ?? null, event: { topic: 'document', ...place } };
  });
}
