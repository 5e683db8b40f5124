import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoServer, startWireEcho } from '../testing/echo-service.ts';
import { dataFrame, frame, grpcMessage, SETTINGS_ACK, settingsFrame, uint32, windowUpdate } from '../testing/frames.ts';
import { RawClient } from '../testing/raw-client.ts';
import { open } from '../testing/wire-cases.ts';
import { ERROR_CODE, FLAG, FRAME, PREFACE, SETTING } from './protocol.ts';

describe('RFC 9113, preface, settings and windows', { timeout: 120_000 }, () => {
  let server: EchoServer;
  beforeAll(async () => {
    server = await startWireEcho();
  });
  afterAll(() => server.close(0));

  it.each([
    ['3.4 refuses HTTP/1.1', Buffer.from('GET / HTTP/1.1\r\nhost: filter.example.com\r\n\r\n')],
    ['3.4 refuses a preface with a wrong byte', Buffer.concat([PREFACE.subarray(0, 23), Buffer.of(0x0b)])],
    ['3.4 refuses a first frame other than SETTINGS', Buffer.concat([PREFACE, windowUpdate(0, 10)])],
    ['3.4 refuses an acknowledgement as the first frame', Buffer.concat([PREFACE, SETTINGS_ACK])],
  ])('%s', async (_, bytes) => {
    const client = await RawClient.connect({ port: server.port, host: '127.0.0.1' });
    client.send(bytes);
    expect(await client.waitForError(0)).toBe(ERROR_CODE.protocol);
    await client.closed;
  });

  it('6.5.3 acknowledges settings in order among other frames', async () => {
    const client = await RawClient.connect({ port: server.port, host: '127.0.0.1' });
    await client.handshake();
    client.frames.length = 0;
    client.send(settingsFrame(), frame(FRAME.ping, 0, 0, Buffer.alloc(8)), settingsFrame());
    await client.settle();
    expect(client.frames.map(({ type, flags }) => [type, flags])).toEqual([
      [FRAME.settings, FLAG.ack],
      [FRAME.ping, FLAG.ack],
      [FRAME.settings, FLAG.ack],
      [FRAME.ping, FLAG.ack],
    ]);
    client.destroy();
  });

  it('6.9.2 lets a window become negative, and continues when it is positive again', async () => {
    const client = await RawClient.connect({ port: server.port, host: '127.0.0.1' });
    await client.handshake([[SETTING.initialWindowSize, 100]]);
    client.send(open(1), dataFrame(1, grpcMessage('big:200')));
    const received = () => client.frames.filter(({ type }) => type === FRAME.data).map(({ payload }) => payload.length);
    await client.settle();
    expect(received()).toEqual([100]);
    client.send(settingsFrame([[SETTING.initialWindowSize, 40]]), windowUpdate(1, 60));
    await client.settle();
    expect(received()).toEqual([100]);
    client.send(windowUpdate(1, 1));
    await client.settle();
    expect(received()).toEqual([100, 1]);
    client.send(settingsFrame([[SETTING.initialWindowSize, 65_535]]));
    await client.settle();
    expect(received()).toEqual([100, 1, 104]);
    client.destroy();
  });

  it('6.9.1 shares the window of the connection, and continues every stream when it grows', async () => {
    const client = await RawClient.connect({ port: server.port, host: '127.0.0.1' });
    await client.handshake();
    client.send(open(1), dataFrame(1, grpcMessage('big:60000')));
    client.send(open(3), dataFrame(3, grpcMessage('big:60000')), open(5), dataFrame(5, grpcMessage('big:60000')));
    const total = (id?: number) =>
      client.frames
        .filter((one) => one.type === FRAME.data && (id === undefined || one.id === id))
        .reduce((sum, { payload }) => sum + payload.length, 0);
    await client.settle();
    expect(total()).toBe(65_535);
    client.send(windowUpdate(0, 3));
    await client.settle();
    expect(total()).toBe(65_538);
    client.send(windowUpdate(0, 1_000_000));
    await client.settle();
    expect([total(1), total(3), total(5)]).toEqual([60_005, 60_005, 60_005]);
    client.destroy();
  });

  it('6.9 returns credit for what it read before the peer runs out', async () => {
    const limited = await startWireEcho({ streamWindowBytes: 1000, connectionWindowBytes: 70_000 });
    const client = await RawClient.connect({ port: limited.port, host: '127.0.0.1' });
    await client.handshake();
    client.send(open(1), dataFrame(1, grpcMessage(Buffer.alloc(495))), dataFrame(1, Buffer.of(0)));
    const credit = await client.waitFor(({ type, id }) => type === FRAME.windowUpdate && id === 1);
    expect(credit.payload.equals(uint32(501))).toBe(true);
    client.send(dataFrame(1, Buffer.alloc(1001)));
    expect(await client.waitForError(1)).toBe(ERROR_CODE.flowControl);
    client.destroy();
    await limited.close(0);
  });
});
