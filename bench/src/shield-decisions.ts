// Measures a decision of the filter: reading the message, matching, engines, response; without the wire.
// node bench/src/shield-decisions.ts [runs]
import { buildRuntime, type PolicyRuntime } from '@flotilla/decision';
import type { Call } from '@flotilla/grpc-wire';
import { readPath } from '@flotilla/policy';
import { ExchangeServer } from '../../apps/shield/src/exchange/exchange.ts';
import { SILENT_LISTENER } from '../../apps/shield/src/testing/silent-listener.ts';
import { ENGINES, HOST, loadPolicy } from './shield/describe-policy.ts';
import { encodeRequest } from './shield/encode-request.ts';
import { median } from './table.ts';

const runs = Number(process.argv[2] ?? 7);
const DECISIONS = 300_000;
const DOMAINS = 10_000;
const ODD_CALLS = 5;

const CALL: Call = { send: () => undefined, finish: () => undefined, fail: () => undefined };

function compile(engines: object, domains = 1): PolicyRuntime {
  return buildRuntime(loadPolicy(engines, domains), { nowMs: Date.now() });
}

/** Nanoseconds per call: the median of the runs after a warm-up run. */
function time(work: () => unknown, calls = DECISIONS): number {
  const samples: number[] = [];
  for (let run = 0; run <= runs; run++) {
    const began = performance.now();
    for (let n = 0; n < calls; n++) work();
    if (run > 0) samples.push(((performance.now() - began) / calls) * 1e6);
  }
  return median(samples);
}

function timeExchange(runtime: PolicyRuntime, message: Buffer): number {
  const exchanges = new ExchangeServer({ trustedHops: 0, listener: SILENT_LISTENER, currentRuntime: () => runtime });
  return time(() => exchanges.open(CALL).onMessage(message, 0, message.length));
}

const plain = encodeRequest();
const both = { ...ENGINES.api_key, ...ENGINES.rate_limit };
const baseline = timeExchange(compile({}), plain);
const rows: Record<string, number> = {
  'no engine (baseline)': baseline,
  'api_key allowed': timeExchange(compile(ENGINES.api_key), plain),
  'api_key blocked': timeExchange(compile(ENGINES.api_key), encodeRequest({ key: 'other' })),
  'rate_limit allowed': timeExchange(compile(ENGINES.rate_limit), plain),
  'rate_limit blocked': timeExchange(compile(ENGINES.exhausted), plain),
  'api_key and rate_limit': timeExchange(compile(both), plain),
  'both, 10,000 domains': timeExchange(compile(both, DOMAINS), plain),
  'both, path with many readings': timeExchange(
    compile(both),
    encodeRequest({ path: '/x/..;/v1%2f../v1/users/%2542' }),
  ),
};
console.log(`one exchange without its wire, median of ${runs} runs of ${DECISIONS}`);
console.table(
  Object.fromEntries(
    Object.entries(rows).map(([name, ns]) => [
      name,
      { ns: Math.round(ns), 'over baseline': Math.round(ns - baseline) },
    ]),
  ),
);

const match = (domains: number) => {
  const { index } = compile({}, domains);
  return Math.round(time(() => index.findDomain(HOST)?.findPolicy('/v1/users/42')));
};
console.log('policy match of a host and a path');
console.table({ '1 domain': { ns: match(1) }, '10,000 domains of 3 routes': { ns: match(DOMAINS) } });

/**
 * Paths that are odd in one way, in many ways, and in the most expensive way that a search found: [beginning, repeated
 * piece, end].
 */
const ODD_PATHS: Record<string, readonly [string, string, string]> = {
  escapes: ['/', '%ff', ''],
  'double escapes': ['/', '%252f', ''],
  'dot segments': ['/', '/.', ''],
  'parameters and backslashes': ['/', 'a;x\\', ''],
  'bytes above 0x7F': ['/', '\u017f/', ''],
  'many ways': ['/', '/A%5c/%5c//;x/../%252e%2f..A;x//../\\%c0%af%5c%u002fx%09%253f%00', ''],
  dearest: ['//\\%2500\ufffd', '\u00df/.;x//aA%2f%u002f%zz%255c', '%u002e/../%253f%25u002f%u002e\t%c0%ae//%3f%5c'],
};
const LENGTHS_KIB = [1, 8, 32, 60];

/** Milliseconds to read such a path of this size. */
function timeOddPath([begin, piece, end]: readonly [string, string, string], bytes: number): number {
  const count = Math.floor((bytes - Buffer.byteLength(begin + end)) / Buffer.byteLength(piece));
  const path = begin + piece.repeat(count) + end;
  return Number((time(() => readPath(path), ODD_CALLS) / 1e6).toFixed(2));
}

console.log('milliseconds of reading one odd path, by its length');
console.table(
  Object.fromEntries(
    Object.entries(ODD_PATHS).map(([name, parts]) => [
      name,
      Object.fromEntries(LENGTHS_KIB.map((kib) => [`${kib} KiB`, timeOddPath(parts, kib * 1024)])),
    ]),
  ),
);
