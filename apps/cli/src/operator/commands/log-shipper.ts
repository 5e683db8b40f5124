import { type CommandResultRecord, readShipperConfig, SHIPPER_DRIVERS } from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, type Given, type Output } from '../nouns/verb.ts';
import { changeForwarder, forwarderVerbs, readTlsOptions, TLS_INPUTS } from './forwarders.ts';
import { ALL, CLIENT } from './host-commands.ts';
import { readSecret } from './read-secret.ts';

/** LOGSHIPPER: hosts send logs to Elasticsearch or Logstash. */
export const LOGSHIPPER: Noun = {
  help: 'shipping of logs from hosts to Elasticsearch or Logstash',
  place: 'project',
  verbs: {
    ...forwarderVerbs({
      type: 'LOGSHIPPER',
      update: 'UPDATE_FILEBEAT_CONFIG',
      getConfig: 'GET_FILEBEAT_CONFIG',
      getStatus: 'GET_FILEBEAT_STATUS',
      member: 'filebeat',
      describe: describeHosts,
    }),
    set: act(
      {
        help: 'ship the logs of hosts to a search engine',
        inputs: [
          { flags: '<server...>', help: 'https://HOST:PORT of Elasticsearch; HOST:PORT with --logstash' },
          CLIENT,
          ALL,
          { flags: '--logstash', help: 'to Logstash instead of Elasticsearch (needs Filebeat)' },
          { flags: '--driver <program>', help: 'the program that ships', choices: SHIPPER_DRIVERS },
          { flags: '--index <name>', help: 'the start of the names of the indices; flotilla-logs by default' },
          { flags: '--user <name>', help: 'the user; the stored password is kept without --password-stdin' },
          { flags: '--password-stdin', help: 'read the password of the user from standard input' },
          { flags: '--api-key-stdin', help: 'read an API key (ID:KEY) from standard input' },
          { flags: '--anonymous', help: 'without a user and an API key, also without a stored one' },
          { flags: '--skip-verify', help: 'do not check the certificate of the server' },
          { flags: '--no-loadbalance', help: 'use one server until it fails' },
          { flags: '--no-service-logs', help: 'leave out the logs of the services' },
          {
            flags: '--input <id=path>',
            help: 'also ship files below /var/log, such as nginx=/var/log/nginx/*.log',
            isList: true,
          },
          { flags: '--drop <field>', help: 'leave out this field', isList: true },
          ...TLS_INPUTS,
        ],
      },
      setShipper,
    ),
  },
};

async function setShipper(given: Given): Promise<Output> {
  const { values } = given;
  const hosts = values.server as readonly string[];
  const tls = (await readTlsOptions(values)) ?? null;
  const output = { hosts, loadbalance: values.loadbalance !== false, tls };
  const filebeat_output =
    values.logstash === true
      ? { logstash: output }
      : {
          elasticsearch: {
            ...output,
            ...(values.index !== undefined && { index: values.index }),
            ...(values.skipVerify === true && { skip_ssl_verify: true }),
            ...(await readCredentials(given)),
          },
        };
  const fields = values.drop as readonly string[] | undefined;
  return changeForwarder(given, {
    type: 'LOGSHIPPER',
    sub_type: 'UPDATE_FILEBEAT_CONFIG',
    command: {
      filebeat: {
        driver: values.driver ?? null,
        service_logs: values.serviceLogs !== false,
        inputs: readInputs(values.input),
        ...(fields && { drop_fields_processor: { fields } }),
        filebeat_output,
      },
    },
  });
}

/** Without an option, the stored API key is kept. */
async function readCredentials({ io, values }: Given): Promise<Record<string, unknown>> {
  const { user, passwordStdin, apiKeyStdin, anonymous } = values;
  const ways = [user, apiKeyStdin, anonymous].filter((one) => one !== undefined && one !== false);
  if (ways.length > 1) throw new CliFailure(EXIT.usage, 'Give one of --user, --api-key-stdin and --anonymous.');
  if (passwordStdin === true && user === undefined) throw new CliFailure(EXIT.usage, '--password-stdin needs --user.');
  if (anonymous === true) return { api_key: null };
  if (apiKeyStdin === true) return { api_key: await readSecret(io) };
  if (user === undefined) return {};
  return { basic_auth: { username: user, ...(passwordStdin === true && { password: await readSecret(io) }) } };
}

/** Options of the same id form one input. */
function readInputs(texts: unknown) {
  const inputs = new Map<string, string[]>();
  for (const text of Array.isArray(texts) ? texts.map(String) : []) {
    const [, id = '', path] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    if (path === undefined)
      throw new CliFailure(EXIT.usage, `--input ${text}: must be ID=PATH, such as nginx=/var/log/nginx/*.log.`);
    inputs.set(id, [...(inputs.get(id) ?? []), path]);
  }
  return [...inputs].map(([id, paths]) => ({ type: 'filestream', id, paths }));
}

function describeHosts(config: CommandResultRecord | undefined): string | null {
  const read = config?.outcome === 'done' ? readShipperConfig(config.result) : undefined;
  return read ? `${read.kind} ${read.hosts.join(', ')}` : null;
}
