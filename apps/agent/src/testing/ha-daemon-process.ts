import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { describeSilent } from '../ha/member-report.ts';

/**
 * Stands for `flotilla ha`, without addresses and without a network. It answers what the file `says.json` of its folder says:
 * `report` replaces members of the report, `refusal` is the reason why it refuses orders, and `isSilent` lets it not answer at all. It
 * writes each order to `orders.log`, and `released` when it is asked to end.
 */
const { values } = parseArgs({
  options: { config: { type: 'string' }, data: { type: 'string' } },
  allowPositionals: true,
});
const [config = '', data = ''] = [values.config, values.data];
mkdirSync(data, { recursive: true });
const say = (text: string) => appendFileSync(join(data, 'orders.log'), `${text}\n`);

/** Undefined if the file is not there, or is being written. */
function read(path: string) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

const says = () => read(join(data, 'says.json')) ?? {};

function describe() {
  const pair = read(config);
  const role = pair ? 'standby' : 'unpaired';
  const paired = { role, config_rev_applied: pair?.config_rev ?? 0, pair_id: pair?.pair_id ?? null };
  const fixed = { daemon: 'running', daemon_version: '0.1.0', peer_ok: true, peer_role: 'active' };
  return { ...describeSilent(pair), ...fixed, ...paired, ...(pair && says().report) };
}

const socket = join(data, 'ha.sock');
rmSync(socket, { force: true });
const server = createServer((request, response) => void answer(request, response));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const order = request.method === 'POST' ? ((await json(request)) as { order: string }) : undefined;
  if (order) say(JSON.stringify(order));
  const { refusal, isSilent } = says();
  if (isSilent) return;
  const isRefused = order !== undefined && order.order !== 'ready' && refusal !== undefined;
  response.writeHead(isRefused ? 409 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(isRefused ? { refused: true, reason: refusal } : describe()));
}

server.listen(socket);
say('started');
process.on('SIGTERM', () => {
  say('released');
  process.exit(0);
});
