import type { OperationDelta, OperationKey } from '@flotilla/inventory';

const TEXT_MAX = 4096;

/** PostgreSQL stores no NUL and no half of a character, and a terminal must not run what it shows: U+FFFD replaces controls. */
export function cleanText(text: string): string {
  return text
    .slice(0, TEXT_MAX)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\uFFFD');
}

const cleanAll = (texts: readonly string[]) => texts.map(cleanText);

function cleanKey(key: OperationKey): OperationKey {
  return {
    method: key.method,
    host: cleanText(key.host),
    normalizedPath: cleanText(key.normalizedPath),
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
