// Measures the time from the response of the REST API to the first request that Envoy routes by the changed route.
// node bench/src/route-change.ts [changes]
import { request } from 'node:http';
import { FleetOfOne } from '@flotilla/testkit';
import { percentile } from './table.ts';

const changes = Number(process.argv[2] ?? 200);
const WARM_UP = 10;

const fleet = await FleetOfOne.start();
try {
  const url = '/api/v3/xds/routes/demo-routes?version=1.40.0';
  const { body: document } = await fleet.api('GET', url);
  const answered: number[] = [];
  const live: number[] = [];
  for (let round = 0; round < changes + WARM_UP; round += 1) {
    const resource = {
      ...document.resource,
      response_headers_to_add: [{ header: { key: 'x-round', value: `${round}` } }],
    };
    const before = performance.now();
    const { status, body } = await fleet.api('PUT', url, { resource });
    if (status !== 200) throw new Error(JSON.stringify(body));
    const answer = performance.now();
    while ((await readRound(fleet.ports.proxy)) !== `${round}`) {
      if (performance.now() - answer > 10_000) throw new Error(`round ${round} never went live`);
    }
    if (round < WARM_UP) continue;
    answered.push(answer - before);
    live.push(performance.now() - answer);
  }
  console.table({
    'PUT to its answer (ms)': describe(answered),
    'answer to live on Envoy (ms)': describe(live),
  });
} finally {
  await fleet.close();
}

function describe(samples: readonly number[]) {
  const at = (p: number) => Number(percentile(samples, p).toFixed(1));
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1), samples: samples.length };
}

function readRound(port: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/bench', agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.headers['x-round'] as string | undefined));
    })
      .on('error', reject)
      .end();
  });
}
