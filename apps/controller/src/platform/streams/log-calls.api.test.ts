import { create } from '@bufbuild/protobuf';
import { fleet, toGrpcDefinition } from '@flotilla/proto';
import { type Client, type ClientDuplexStream, makeClientConstructor, type StatusObject, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LogAnswer, LogsPort } from './ports.ts';
import { codeOf, createTestStreams, TestPeer, type TestStreams } from './testing/streams.ts';

const LogClient = makeClientConstructor(toGrpcDefinition(fleet.LogService), 'LogService');
type Call = ClientDuplexStream<fleet.LogBatch, fleet.LogBatchStored>;

let t: TestStreams;
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await t?.close();
});

/** Batches that wait for their answers. */
class Collector implements LogsPort {
  readonly waiting: {
    readonly sequence: bigint;
    readonly clientId: string;
    answer(answer: LogAnswer | Error): void;
  }[] = [];

  push: LogsPort['push'] = ({ clientId }, { sequence }) =>
    new Promise((resolve, reject) => {
      const answer = (one: LogAnswer | Error) => (one instanceof Error ? reject(one) : resolve(one));
      this.waiting.push({ sequence, clientId, answer });
    });
}

async function open(peer: TestPeer) {
  const client = await peer.connect(t, LogClient);
  clients.push(client);
  const call = (Reflect.get(client, 'push') as () => Call).call(client);
  const answers: string[] = [];
  call.on('data', ({ sequence, retryMs }: fleet.LogBatchStored) => answers.push(`${sequence} ${retryMs}`));
  call.on('error', () => undefined);
  const ended = new Promise<StatusObject>((resolve) => call.on('status', resolve));
  const send = (sequence: number, bytes = 10) =>
    call.write(
      create(fleet.LogBatchSchema, {
        serviceId: 's',
        epoch: 'e',
        sequence: BigInt(sequence),
        payload: Buffer.alloc(bytes),
      }),
    );
  return { call, answers, ended, send };
}

const until = (check: () => void) => vi.waitFor(check, { interval: 5 });

describe('the access logs of an agent', () => {
  it('are answered one by one, in the order in which they are stored', async () => {
    const logs = new Collector();
    t = await createTestStreams({ logs });
    const peer = await TestPeer.enrolled(t);
    const { answers, send } = await open(peer);
    for (const sequence of [1, 2, 3]) send(sequence);
    await until(() => expect(logs.waiting.map(({ sequence }) => sequence)).toEqual([1n, 2n, 3n]));
    expect(logs.waiting.every(({ clientId }) => clientId === peer.clientId)).toBe(true);
    logs.waiting[1]?.answer({ stored: true });
    await until(() => expect(answers).toEqual(['2 0']));
    logs.waiting[0]?.answer({ retryMs: 1234 });
    logs.waiting[2]?.answer(new Error('the database is away'));
    await until(() => expect(answers).toEqual(['2 0', '1 1234', '3 5000']));
  });

  it('stay with the agent while nothing collects them', async () => {
    t = await createTestStreams();
    const { answers, send } = await open(await TestPeer.enrolled(t));
    send(1);
    await until(() => expect(answers).toEqual(['1 30000']));
  });

  it('are put off beyond the memory of the client and of all clients, and taken when there is room', async () => {
    const logs = new Collector();
    t = await createTestStreams({ logs, logLimits: { clientBytes: 20_000, totalBytes: 45_000 } });
    const [one, other] = [await open(await TestPeer.enrolled(t)), await open(await TestPeer.enrolled(t))];
    for (const sequence of [1, 2, 3, 4]) one.send(sequence, 9000);
    await until(() => expect(one.answers).toEqual(['3 1000', '4 1000']));
    // Another client has its own share.
    for (const sequence of [1, 2, 3]) other.send(sequence, 9000);
    await until(() => expect(other.answers).toEqual(['3 1000']));
    expect(logs.waiting).toHaveLength(4);
    for (const { answer } of logs.waiting) answer({ stored: true });
    await until(() => expect(one.answers).toHaveLength(4));
    one.send(5, 9000);
    await until(() => expect(logs.waiting).toHaveLength(5));
  });

  it('are not read if a batch is larger than agents make them', async () => {
    const logs = new Collector();
    t = await createTestStreams({ logs });
    const { answers, send } = await open(await TestPeer.enrolled(t));
    send(1, 4 * 1024 * 1024 + 1);
    await until(() => expect(answers).toEqual(['1 0']));
    expect(logs.waiting).toEqual([]);
  });

  it('are refused without a certificate, and the refusal is in the audit log', async () => {
    t = await createTestStreams({ logs: new Collector() });
    const { ended } = await open(await TestPeer.create());
    expect(codeOf(await ended)).toBe('certificate.missing');
    expect((await t.deniedAudits()).map(({ action }) => action)).toEqual(['client.push_logs']);
  });

  it('end when the controller stops', async () => {
    const logs = new Collector();
    t = await createTestStreams({ logs });
    const { ended, send } = await open(await TestPeer.enrolled(t));
    send(1);
    await until(() => expect(logs.waiting).toHaveLength(1));
    await t.stop();
    expect((await ended).code).toBe(status.UNAVAILABLE);
  });
});
