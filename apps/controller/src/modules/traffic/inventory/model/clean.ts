import type { OperationDelta, OperationKey } from '@flotilla/inventory';

const TEXT_MAX = 4096;
/** In bytes: an entry of an index of PostgreSQL has at most 2,704, and one has both. */
const HOST_MAX = 512;
const PATH_MAX = 1536;

/** PostgreSQL stores no NUL and no half of a character, and a terminal must not run what it shows: U+FFFD replaces controls. */
export function cleanText(text: string): string {
  return text
    .slice(0, TEXT_MAX)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\uFFFD');
}

/** The longest beginning that has so many bytes; it ends with a whole character. */
function cutTo(bytes: number, text: string): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read);
}

const cleanAll = (texts: readonly string[]) => texts.map(cleanText);

/** A key that can be stored. Its id is that of the whole key. */
export function cleanKey(key: OperationKey): OperationKey {
  return {
    method: key.method,
    host: cutTo(HOST_MAX, cleanText(key.host)),
    normalizedPath: cutTo(PATH_MAX, cleanText(key.normalizedPath)),
    operation: cleanText(key.operation),
  };
}

/** A delta whose texts can be stored. */
export function cleanDelta(delta: OperationDelta): OperationDelta {
  return {
    ...delta,
    key: cleanKey(delta.key),
    grpcService: cleanText(delta.grpcService),
    grpcMethod: cleanText(delta.grpcMethod),
    protocols: cleanAll(delta.protocols),
    services: cleanAll(delta.services),
    clients: cleanAll(delta.clients),
    listeners: cleanAll(delta.listeners),
    clusters: cleanAll(delta.clusters),
    routes: cleanAll(delta.routes),
    contentTypes: cleanAll(delta.contentTypes),
    origins: cleanAll(delta.origins),
    queryNames: cleanAll(delta.queryNames),
    consumers: cleanAll(delta.consumers),
    ...(delta.samples && { samples: cleanAll(delta.samples) }),
    ...(delta.reflectedOrigins && {
      reflectedOrigins: Object.fromEntries(
        Object.entries(delta.reflectedOrigins).map(([origin, at]) => [cleanText(origin), at]),
      ),
    }),
  };
}
