import { type KeysView, keyRoutes } from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, type Given, toTable } from '../nouns/verb.ts';
import { followToSuccess } from './jobs.ts';
import { readSecret } from './read-secret.ts';
import { parseDurationS } from './time-argument.ts';

interface KeyOptions {
  readonly key: string;
  readonly overlap?: number;
  readonly masterKeyStdin?: boolean;
  readonly wait: boolean;
}

export const KEYS: Noun = {
  help: 'keys that encrypt stored secrets: list, rotate',
  place: 'controller',
  verbs: {
    list: act({ help: 'data keys, and the master keys that open the database' }, async ({ reach: { connection } }) => {
      const { body } = await connection.call(keyRoutes.list, {});
      const table = toTable(toRows(body), { key: 'key', state: 'state', created: 'created', ends: 'ends' });
      return { ...table, json: body };
    }),
    rotate: act(
      {
        help: 'create a new data key and encrypt all secrets again with it, or create a new master key',
        inputs: [
          { flags: '<key>', choices: ['data', 'master'] },
          {
            flags: '--overlap <time>',
            help: 'how long the previous master key still opens the database, such as 1d; 1h by default',
            read: parseDurationS,
          },
          {
            flags: '--master-key-stdin',
            help: 'read the new master key from standard input, if the current one comes from SVC_MASTER_KEY',
          },
          { flags: '--no-wait', help: 'do not wait until all secrets are encrypted again' },
        ],
      },
      rotate,
    ),
  },
};

async function rotate(given: Given, options: KeyOptions) {
  const { body } = await given.reach.connection.call(keyRoutes.rotate, { body: await toOrder(given, options) });
  if (body.job === null) return { json: body, text: 'The master key is changed.' };
  const { number } = body.job;
  const watch = `flotilla jobs watch ${number} --installation`;
  if (!options.wait) {
    const text = `Data key ${body.data_key} is created. Job ${number} encrypts all secrets with it: ${watch}`;
    return { json: body, text };
  }
  await followToSuccess(given, { number, watch });
  const text = `All secrets are encrypted with data key ${body.data_key}; the previous one is deleted.`;
  return { json: body, text };
}

async function toOrder({ io }: Given, { key, overlap, masterKeyStdin }: KeyOptions) {
  if (key === 'data') {
    if (overlap !== undefined || masterKeyStdin)
      throw new CliFailure(EXIT.usage, '--overlap and --master-key-stdin belong to the master key');
    return { which: 'data' } as const;
  }
  return {
    which: 'master',
    ...(overlap !== undefined && { overlap_s: overlap }),
    ...(masterKeyStdin && { master_key: await readSecret(io) }),
  } as const;
}

interface KeyRow {
  readonly key: string;
  readonly state: string;
  readonly created: string;
  readonly ends: string | null;
}

function toRows({ data_keys, master_keys, master_from }: KeysView): KeyRow[] {
  return [
    ...data_keys.map(({ id, state, created_at }) => ({ key: `data ${id}`, state, created: created_at, ends: null })),
    ...master_keys.map(({ created_at, expires_at }) => ({
      key: 'master',
      state: expires_at === null ? `from ${master_from}` : 'previous',
      created: created_at,
      ends: expires_at,
    })),
  ];
}
