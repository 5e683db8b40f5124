import { startApollo, startGraphqlHttp, startHonoGraphql, startMercurius, startYoga } from './graphql-servers.ts';
import { createHono, startHono } from './hono-overrides.ts';
import { startGo, startPhp, startRack, startTomcat } from './program-upstreams.ts';
import type { Upstream } from './reading.ts';
import { createFormData, createSearchParams } from './search-params.ts';

export type { Listening } from './listening.ts';
export type { Reading, SentRequest, Upstream } from './reading.ts';

export { startHono, startHonoGraphql, startYoga };

/** Starts every program concurrently. If one does not start, closes the others. */
export async function startUpstreams(): Promise<readonly Upstream[]> {
  const starts = [
    startYoga,
    startHonoGraphql,
    startGraphqlHttp,
    startApollo,
    startMercurius,
    startPhp,
    startRack,
    startGo,
    startTomcat,
  ];
  const settled = await Promise.allSettled(starts.map((start) => start()));
  const started = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = settled.filter((one) => one.status === 'rejected');
  if (failed.length > 0) {
    await Promise.all(started.map((upstream) => upstream.close()));
    throw new AggregateError(
      failed.map(({ reason }) => reason),
      failed.map(({ reason }) => String(reason)).join('\n'),
    );
  }
  return [createSearchParams(), createFormData(), createHono(), ...started];
}
