import { once } from 'node:events';
import { join } from 'node:path';
import type { StageNetwork } from './stage-network.ts';

const ECHO = join(import.meta.dirname, 'echo-process.ts');
const CLIENT = join(import.meta.dirname, 'client-process.ts');

/** Counts the requests of a client by their end. */
export interface ClientVerdict {
  readonly sent: number;
  readonly answered: number;
  readonly failed: number;
  readonly slow: number;
  readonly errors: Readonly<Record<string, number>>;
  readonly members: readonly string[];
  readonly longestGapMs: number;
}

export interface Traffic<T> {
  readonly stop: () => Promise<T>;
}

/** Answers every datagram and request on port 9000 of a member with its name. */
export function runEcho(network: StageNetwork, member: 'm0' | 'm1'): void {
  network.run(member, [process.execPath, ECHO, member]);
}

/** Sends requests, each over a new connection, until stopped. */
export function sendRequests(network: StageNetwork, url: string): Promise<Traffic<ClientVerdict>> {
  return runTraffic(network, [CLIENT, url]);
}

/** Runs a program of the client, which prints a result when it is stopped. Resolves when the first answer has come. */
export async function runTraffic<T>(network: StageNetwork, argv: readonly string[]): Promise<Traffic<T>> {
  const child = network.run('client', [process.execPath, ...argv]);
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(child.stdout ?? child, 'data');
  return {
    stop: async () => {
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      await ended;
      return JSON.parse(output);
    },
  };
}
