import { type CommandResultRecord, readSyslogOutput } from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, type Given, type Output } from '../nouns/verb.ts';
import { changeForwarder, forwarderVerbs, readTlsOptions, TLS_INPUTS } from './forwarders.ts';
import { ALL, CLIENT } from './host-commands.ts';

/** SYSLOG_FWD: hosts send the logs of their services to a syslog server. */
export const SYSLOG: Noun = {
  help: 'forwarding of logs from hosts to a syslog server',
  place: 'project',
  verbs: {
    ...forwarderVerbs({
      type: 'SYSLOG_FWD',
      update: 'UPDATE_RSYSLOG_CONFIG',
      getConfig: 'GET_RSYSLOG_CONFIG',
      getStatus: 'GET_RSYSLOG_STATUS',
      member: 'rsyslog_config',
      describe: describeTarget,
    }),
    set: act(
      {
        help: 'send the logs of hosts to a syslog server',
        inputs: [
          { flags: '<server>', help: 'HOST:PORT or [ADDRESS]:PORT' },
          CLIENT,
          ALL,
          { flags: '--udp', help: 'by UDP instead of TCP' },
          { flags: '--tls', help: 'with TLS' },
          ...TLS_INPUTS,
        ],
      },
      setSyslog,
    ),
  },
};

async function setSyslog(given: Given): Promise<Output> {
  const { values } = given;
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(String(values.server)) ?? [];
  const target = bracketed ?? plain;
  if (target === undefined)
    throw new CliFailure(EXIT.usage, 'The server must be HOST:PORT, such as logs.example.com:6514.');
  const options = await readTlsOptions(values);
  if (options && values.tls !== true)
    throw new CliFailure(EXIT.usage, 'Give --tls with --ca, --cert, --key and --server-name.');
  const tls = values.tls === true ? (options ?? {}) : null;
  const output = { target, port: Number(port), protocol: values.udp === true ? 'udp' : 'tcp', tls };
  return changeForwarder(given, {
    type: 'SYSLOG_FWD',
    sub_type: 'UPDATE_RSYSLOG_CONFIG',
    command: { rsyslog_config: { rsyslog_output: output } },
  });
}

function describeTarget(config: CommandResultRecord | undefined): string | null {
  const output = config?.outcome === 'done' ? readSyslogOutput(config.result) : undefined;
  if (!output) return null;
  const host = output.target.includes(':') ? `[${output.target}]` : output.target;
  return `${output.tls ? 'tls' : output.protocol} ${host}:${output.port}`;
}
