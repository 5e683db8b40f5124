import { readFile } from 'node:fs/promises';
import { type CommandResultRecord, readSyslogOutput } from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import type { Input } from '../nouns/inputs.ts';
import type { Noun } from '../nouns/noun.ts';
import type { Given, Output } from '../nouns/verb.ts';
import { act, type Verb } from '../nouns/verb.ts';
import { changeForwarder, listForwarders } from './forwarders.ts';
import { ALL, CLIENT } from './host-commands.ts';

const FILE = (name: string, help: string): Input => ({ flags: `--${name} <file>`, help });

/** SYSLOG_FWD: hosts send the logs of their services to a syslog server. */
export const SYSLOG: Noun = {
  help: 'forwarding of logs from hosts to a syslog server',
  place: 'project',
  verbs: {
    status: act({ help: 'where hosts send logs, and whether that works', inputs: [CLIENT] }, (given) =>
      listForwarders(
        given,
        { type: 'SYSLOG_FWD', subTypes: ['GET_RSYSLOG_STATUS', 'GET_RSYSLOG_CONFIG'] },
        describeTarget,
      ),
    ),
    set: act(
      {
        help: 'send the logs of hosts to a syslog server',
        inputs: [
          { flags: '<server>', help: 'HOST:PORT or [ADDRESS]:PORT' },
          CLIENT,
          ALL,
          { flags: '--udp', help: 'by UDP instead of TCP' },
          { flags: '--tls', help: 'with TLS' },
          FILE('ca', 'the authority of the server (PEM); those of the host by default'),
          FILE('cert', 'the certificate of the hosts (PEM)'),
          FILE('key', 'its private key (PEM); omit it to keep the stored one'),
          { flags: '--server-name <name>', help: 'the name in the certificate of the server' },
        ],
      },
      setSyslog,
    ),
    start: control('SUB_START', 'start a stopped forwarder'),
    stop: control('SUB_STOP', 'stop the forwarder until it is started'),
    restart: control('SUB_RESTART', 'start the program of the forwarder again'),
    remove: act({ help: 'stop forwarding and delete the configuration', inputs: [CLIENT, ALL] }, (given) =>
      changeForwarder(given, {
        type: 'SYSLOG_FWD',
        sub_type: 'UPDATE_RSYSLOG_CONFIG',
        command: { rsyslog_config: null },
      }),
    ),
  },
};

function control(subType: string, help: string): Verb {
  return act({ help, inputs: [CLIENT, ALL] }, (given) =>
    changeForwarder(given, { type: 'SYSLOG_FWD', sub_type: subType, command: {} }),
  );
}

async function setSyslog(given: Given): Promise<Output> {
  const { values } = given;
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(String(values.server)) ?? [];
  const target = bracketed ?? plain;
  if (target === undefined)
    throw new CliFailure(EXIT.usage, 'The server must be HOST:PORT, such as logs.example.com:6514.');
  const isPrivate = values.tls === true;
  if (!isPrivate && [values.ca, values.cert, values.key, values.serverName].some((one) => one !== undefined))
    throw new CliFailure(EXIT.usage, 'Give --tls with --ca, --cert, --key and --server-name.');
  const key = await readPem(values.key);
  const tls = isPrivate && {
    ca_cert: (await readPem(values.ca)) ?? null,
    client_cert: (await readPem(values.cert)) ?? null,
    // Without a certificate there is no key to keep.
    ...(key !== undefined ? { client_key: key } : values.cert === undefined && { client_key: null }),
    server_name: values.serverName ?? null,
  };
  const output = { target, port: Number(port), protocol: values.udp === true ? 'udp' : 'tcp', tls: tls || null };
  return changeForwarder(given, {
    type: 'SYSLOG_FWD',
    sub_type: 'UPDATE_RSYSLOG_CONFIG',
    command: { rsyslog_config: { rsyslog_output: output } },
  });
}

async function readPem(file: unknown): Promise<string | undefined> {
  if (typeof file !== 'string') return undefined;
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CliFailure(EXIT.usage, `${file}: ${(error as Error).message}`);
  }
}

function describeTarget(config: CommandResultRecord | undefined): string | null {
  const output = config?.outcome === 'done' ? readSyslogOutput(config.result) : undefined;
  if (!output) return null;
  const host = output.target.includes(':') ? `[${output.target}]` : output.target;
  return `${output.tls ? 'tls' : output.protocol} ${host}:${output.port}`;
}
