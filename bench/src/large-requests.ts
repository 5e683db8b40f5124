// Measures how long others wait while one caller sends the largest possible requests, and whether agents keep their
// connections.
// node bench/src/large-requests.ts [at once ...]
import { FleetOfOne } from '@flotilla/testkit';
import { median } from './table.ts';

const counts = process.argv.slice(2).map(Number);
const PROBE_EVERY_MS = 20;
const VERSION = '1.40.0';

const fleet = await FleetOfOne.start();
try {
  const { apiToken, project } = await fleet.state();
  const base = `http://127.0.0.1:${fleet.ports.rest}`;
  const toBody = (resource: object) =>
    Buffer.from(JSON.stringify({ project, collection: 'clusters', name: 'k', version: VERSION, resource }));
  const bodies = {
    '600,000 unknown fields': toBody(Object.fromEntries(Array.from({ length: 600_000 }, (_, i) => [`k${i}`, 1]))),
    '70,000 endpoints': toBody(cluster(70_000)),
    '200 unknown types': toBody({ typed_extension_protocol_options: unknownTypes(200) }),
  };
  const check = async (body: Buffer<ArrayBuffer>) => {
    const headers = { authorization: `Bearer ${apiToken}`, 'content-type': 'application/json' };
    const response = await fetch(`${base}/api/v3/schema/check`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  };
  // Loads the version's API once.
  await check(toBody({}));
  const rows: Record<string, object> = {};
  for (const [name, body] of Object.entries(bodies)) {
    for (const count of counts.length > 0 ? counts : [1, 2, 5, 8]) {
      const began = performance.now();
      const all = Promise.all(Array.from({ length: count }, () => check(body)));
      const waits = await probe(base, all);
      const statuses = await all;
      rows[`${count} at once, ${name}`] = {
        'readyz, median (ms)': Math.round(median(waits)),
        'longest (ms)': Math.round(Math.max(...waits)),
        'answered (s)': Number(((performance.now() - began) / 1000).toFixed(1)),
        refused: statuses.filter((status) => status === 429 || status === 503).length,
      };
    }
  }
  console.table(rows);
  console.log('links lost:', (await fleet.logs()).match(/link\.lost/g)?.length ?? 0);
} finally {
  await fleet.close();
}

/** The response times of sequential requests by others until the work is done. */
async function probe(base: string, work: Promise<unknown>): Promise<number[]> {
  const waits: number[] = [];
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  do {
    const began = performance.now();
    await (await fetch(`${base}/readyz`)).arrayBuffer();
    waits.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS));
  } while (!isOver);
  return waits;
}

function cluster(endpoints: number) {
  const lb_endpoints = Array.from({ length: endpoints }, (_, i) => ({
    endpoint: {
      address: { socket_address: { address: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, port_value: 80 } },
    },
  }));
  return { type: 'STATIC', load_assignment: { cluster_name: 'k', endpoints: [{ lb_endpoints }] } };
}

function unknownTypes(count: number) {
  const typeOf = (i: number) => `type.googleapis.com/envoy.extensions.UpstreamTlsContex${i}`;
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, { '@type': typeOf(i) }]));
}
