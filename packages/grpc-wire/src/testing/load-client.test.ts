import { afterEach, describe, expect, it, vi } from 'vitest';
import { ECHO_PATH, startWireEcho, type WireEchoServer } from './echo-service.ts';
import { runLoad } from './load-client.ts';

describe('runLoad', () => {
  let server: WireEchoServer | undefined;
  afterEach(() => server?.close(0));

  it.each(['half-close', 'reset'] as const)(
    'counts an exchange per answer and leaves no stream behind: %s',
    async (end) => {
      const started = await startWireEcho();
      server = started;
      const result = await runLoad({
        address: { port: started.port, host: '127.0.0.1' },
        path: ECHO_PATH,
        message: Buffer.from('last:answer'),
        concurrency: 50,
        exchanges: 5000,
        end,
      });
      expect([result.exchanges, result.failed]).toEqual([5000, 0]);
      await vi.waitFor(() => expect(started.counters.openStreams).toBe(0));
      expect(started.counters.messages).toBe(5000);
      expect(started.counters.connectionErrors).toBe(0);
    },
  );
});
