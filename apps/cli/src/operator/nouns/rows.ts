import { type CallInput, type CallOutput, describeFields, type RouteContract } from '@flotilla/contract';
import type { Reach } from '../commands/scope-options.ts';
import { collectPages } from '../paging.ts';

export type RowOf<R extends RouteContract> =
  CallOutput<R> extends { readonly items: readonly (infer Row)[] } ? Row : never;

interface RowRequest<R extends RouteContract, Row> {
  readonly params?: CallInput<R>['params'];
  readonly query?: CallInput<R>['query'];
  /** Selects the rows of the response; `items` by default. */
  readonly rows?: ((body: CallOutput<R>) => readonly Row[]) | undefined;
  readonly limit?: number | undefined;
}

interface Page {
  readonly items: readonly never[];
  readonly next_cursor?: string | null;
}

/** Reads all rows of a list, page by page if the route has pages. Ignores query fields that the route does not have. */
export async function readRows<R extends RouteContract, Row = RowOf<R>>(
  { connection, project }: Reach,
  route: R,
  { params, query, rows, limit }: RowRequest<R, Row>,
): Promise<readonly Row[]> {
  const fields = describeFields(route.query);
  const supported = Object.entries({ project, ...(query as object) }).filter(([name]) => fields.has(name));
  const read = async (more: Record<string, unknown>) => {
    const request = { params, query: { ...Object.fromEntries(supported), ...more } } as CallInput<R>;
    const { body } = await connection.call(route, request);
    const page = body as Page;
    return { items: rows ? rows(body) : page.items, next_cursor: page.next_cursor ?? null };
  };
  if (!fields.has('cursor')) return (await read({})).items;
  return collectPages((cursor, size) => read({ cursor, ...(fields.has('limit') && { limit: size }) }), limit);
}
