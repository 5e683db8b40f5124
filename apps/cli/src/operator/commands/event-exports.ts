import { type EventExportTarget, type EventExportView, eventExportRoutes } from '@flotilla/contract';
import type { ProgramIo } from '../../programs.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { createLookup } from '../nouns/lookup.ts';
import type { Noun } from '../nouns/noun.ts';
import { FILES } from '../nouns/sources.ts';
import { act, change, type Given, get, idAs, list, send } from '../nouns/verb.ts';
import { NEW_NAME, QUERY } from './inputs.ts';
import { readPem } from './read-pem.ts';
import { readSecret } from './read-secret.ts';

const EXPORT = {
  flags: '<export>',
  help: 'name or id',
  to: 'export_id',
  lookup: createLookup(eventExportRoutes.list, { one: 'event export', id: ({ id }) => id, name: ({ name }) => name }),
} as const;
const ON = { flags: '--on', help: 'switch it on', to: 'enabled', value: true, conflicts: 'off' } as const;
const OFF = { flags: '--off', help: 'switch it off; it keeps its place', to: 'enabled', value: false } as const;
const SELECTION = {
  flags: '--selection <json>',
  help: 'such as {"decisions":["blocked"],"min_risk":70}',
  to: 'selection',
  read: readSelection,
} as const;

function readSelection(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CliFailure(EXIT.usage, 'The selection is not valid JSON.');
  }
}

export const EVENT_EXPORTS: Noun = {
  help: 'receivers that get request events: syslog servers and webhooks',
  place: 'project',
  verbs: {
    list: list(eventExportRoutes.list, {
      inputs: [QUERY],
      columns: {
        name: 'name',
        kind: ({ target }) => target.kind,
        'sends to': ({ target }) => describeTarget(target),
        state: 'state',
        sent: 'sent_events',
        waiting: 'backlog_events',
        'lag s': 'lag_s',
        lost: 'lost_events',
        error: 'last_error',
      },
    }),
    get: get(eventExportRoutes.get, { inputs: [EXPORT] }),
    create: act(
      {
        help: 'send events to a receiver; standard input has the signing secret of a webhook',
        inputs: [
          { flags: '<name>' },
          { flags: '--syslog <server>', help: 'HOST:PORT or [ADDRESS]:PORT, by TLS' },
          { flags: '--plain', help: 'by TCP without TLS' },
          { flags: '--webhook <url>', help: 'POST signed JSON', conflicts: 'syslog' },
          { flags: '--ndjson', help: 'one document for each line' },
          { flags: '--ca <file>', help: 'the authority of the receiver (PEM)', source: FILES },
          { flags: '--cert <file>', help: 'the client certificate (PEM)', source: FILES },
          { flags: '--key <file>', help: 'its private key (PEM)', source: FILES },
          { flags: SELECTION.flags, help: SELECTION.help },
        ],
      },
      create,
    ),
    change: change(eventExportRoutes.patch, {
      inputs: [EXPORT, NEW_NAME, SELECTION, ON, OFF],
      text: ({ name }) => `Event export ${name} changed.`,
    }),
    test: act({ help: 'send one marked message', inputs: [EXPORT], route: eventExportRoutes.test }, async (given) => {
      const { scope, id, name } = given;
      const request = { params: { export_id: id('export') }, query: { project: scope.project } };
      const { body } = await scope.connection.call(eventExportRoutes.test, request);
      const text = `${name('export')}: ${body.message} (${body.latency_ms} ms).`;
      return { json: body, text, exit: body.ok ? EXIT.ok : EXIT.failed };
    }),
    delete: send(eventExportRoutes.delete, {
      inputs: [EXPORT],
      json: idAs('deleted', 'export'),
      text: (_, { name }) => `Event export ${name('export')} deleted.`,
    }),
  },
};

function describeTarget(target: EventExportView['target']): string {
  if (target.kind === 'webhook') return target.url;
  const host = target.host.includes(':') ? `[${target.host}]` : target.host;
  return `${target.protocol} ${host}:${target.port}`;
}

async function create({ scope, io, values }: Given) {
  const name = String(values.name);
  const target = await readTarget(values, io);
  const selection = typeof values.selection === 'string' ? readSelection(values.selection) : undefined;
  const { body } = await scope.connection.call(eventExportRoutes.create, {
    query: { project: scope.project },
    body: { name, target, ...(selection !== undefined && { selection: selection as never }) },
  });
  return { json: body, text: `Event export ${body.name} created.` };
}

async function readTarget(values: Given['values'], io: ProgramIo): Promise<EventExportTarget> {
  const ca_cert = (await readPem(values.ca)) ?? null;
  if (typeof values.webhook === 'string') {
    const format = values.ndjson === true ? 'ndjson' : 'json';
    return { kind: 'webhook', url: values.webhook, format, ca_cert, secret: await readSecret(io) };
  }
  if (typeof values.syslog !== 'string') throw new CliFailure(EXIT.usage, 'Give --syslog or --webhook.');
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(values.syslog) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined)
    throw new CliFailure(EXIT.usage, 'The server must be HOST:PORT, such as logs.example.com:6514.');
  const client_key = await readPem(values.key);
  return {
    kind: 'syslog',
    host,
    port: Number(port),
    protocol: values.plain === true ? 'tcp' : 'tls',
    facility: 'local0',
    app_name: 'flotilla',
    ca_cert,
    client_cert: (await readPem(values.cert)) ?? null,
    ...(client_key !== undefined && { client_key }),
  };
}
