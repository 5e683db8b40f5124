/** Identifies a request of a protocol whose path is no template. */
export type Rpc =
  | { readonly protocol: 'grpc'; readonly service: string; readonly method: string }
  | { readonly protocol: 'graphql'; readonly operation: string };

export const GRAPHQL_PATHS_MAX = 32;
const NAME_CHARACTERS_MAX = 256;
const GRPC_CONTENT = /^application\/(?:grpc(?:-web(?:-text)?)?|connect)(?:\+[a-z]+)?(?:;|$)/i;
const GRPC_PATH = /^\/((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)\/([A-Za-z_]\w*)$/;
const GRAPHQL_NAME = /^[_A-Za-z]\w*$/;
/** GraphQL requests that do not say what they do. */
export const ANONYMOUS_OPERATION = '(anonymous)';

/** The service and the method of a gRPC request: `POST /package.Service/Method` with a content type of gRPC, gRPC-Web or Connect. */
export function readGrpc(method: string, path: string, contentType: string | undefined): Rpc | undefined {
  if (
    method !== 'POST' ||
    contentType === undefined ||
    !GRPC_CONTENT.test(contentType) ||
    path.length > NAME_CHARACTERS_MAX
  )
    return undefined;
  const match = GRPC_PATH.exec(path);
  return match === null ? undefined : { protocol: 'grpc', service: match[1] ?? '', method: match[2] ?? '' };
}

/** `suffixes` are compared by whole segments, whatever the case of letters. */
export function isGraphqlPath(segments: readonly string[], suffixes: readonly string[]): boolean {
  const path = `/${segments.join('/')}`.toLowerCase();
  return suffixes
    .slice(0, GRAPHQL_PATHS_MAX)
    .some((suffix) => path.endsWith(`/${suffix.toLowerCase().replace(/^\/|\/$/g, '')}`));
}

/** The name comes from a header of the client, so it may be anything. */
export function readGraphqlOperation(name: string | undefined): Rpc {
  const isName = name !== undefined && name.length <= NAME_CHARACTERS_MAX && GRAPHQL_NAME.test(name);
  return { protocol: 'graphql', operation: isName ? name : ANONYMOUS_OPERATION };
}
