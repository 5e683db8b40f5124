import type { CommandName } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { AppError } from '@flotilla/kit';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { forwarderConfigContext } from './encryption-context.ts';
import { invalidField, keepSecrets, type Members, readAt } from './secrets.ts';
import { replaceOtherSecret, requireSamePlace, requireWholeShipper } from './shipper-secrets.ts';
import { listConfigs, lockConfigs, type StoredConfig, storeConfig } from './store.ts';
import type { ForwarderKind } from './tables.ts';

interface ConfigCommand {
  readonly kind: ForwarderKind;
  /** The member of the body with the configuration. */
  readonly member: string;
  /** Returns the body with every secret that it keeps. Throws command.invalid. */
  readonly complete: (name: CommandName, given: Members, stored: Members | undefined) => Members;
}

/** The commands that set a configuration, which may contain secrets. */
const CONFIG_COMMANDS: Partial<Record<CommandName, ConfigCommand>> = {
  'SYSLOG_FWD UPDATE_RSYSLOG_CONFIG': { kind: 'syslog', member: 'rsyslog_config', complete: completeSyslog },
  'LOGSHIPPER UPDATE_FILEBEAT_CONFIG': { kind: 'logshipper', member: 'filebeat', complete: completeShipper },
};

export interface ConfigChange {
  readonly name: CommandName;
  readonly payload: Members;
  readonly projectId: string;
  readonly clientIds: readonly string[];
  readonly at: Date;
  readonly by: string;
}

/** A command as it is stored: its payload says which configuration it sets, and not the configuration. */
export interface SentCommand {
  readonly id: string;
  readonly client_id: string;
  readonly type: string;
  readonly sub_type: string;
  readonly payload: Members;
}

/**
 * The configurations of log forwarding that clients should have. They are encrypted at rest. The history of commands refers to
 * them, and only the message to the agent contains one.
 */
export class ForwarderConfigs {
  readonly #keyring: Pick<Keyring, 'encrypt' | 'decrypt'>;

  constructor(keyring: Pick<Keyring, 'encrypt' | 'decrypt'>) {
    this.#keyring = keyring;
  }

  /**
   * Stores what the command sets. Returns the payload to store for each client, or why a client gets none. Undefined: the
   * command sets no configuration.
   */
  async store(tx: Tx, change: ConfigChange): Promise<ReadonlyMap<string, Members | AppError> | undefined> {
    const command = CONFIG_COMMANDS[change.name];
    if (!command) return undefined;
    const { kind } = command;
    const stored = await lockConfigs(tx, { clientIds: change.clientIds, kind });
    const payloads = new Map<string, Members | AppError>();
    for (const clientId of [...change.clientIds].sort()) {
      payloads.set(clientId, await this.#storeOne(tx, change, { ...command, clientId, before: stored.get(clientId) }));
    }
    return payloads;
  }

  async #storeOne(
    tx: Tx,
    { name, payload, projectId, at, by }: ConfigChange,
    {
      kind,
      member,
      complete,
      clientId,
      before,
    }: ConfigCommand & { clientId: string; before: StoredConfig | undefined },
  ): Promise<Members | AppError> {
    let whole: Members;
    try {
      whole = complete(name, payload, before && this.#open(before));
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
    const config = whole[member] ?? null;
    const sealed = config === null ? null : this.#seal({ [member]: config }, clientId, kind);
    return { revision: await storeConfig(tx, { clientId, projectId, kind, sealed, at, by }) };
  }

  /**
   * Returns the payloads to send, by command: those of commands that set a configuration contain the newest one of the
   * client. Commands whose configuration cannot be decrypted now are left out.
   */
  async open(db: Db, commands: readonly SentCommand[]): Promise<ReadonlyMap<string, Members>> {
    const setting = commands.filter((one) => commandOf(one) !== undefined);
    const clientIds = [...new Set(setting.map(({ client_id }) => client_id))];
    const stored = clientIds.length === 0 ? [] : await listConfigs(db, { clientIds });
    const payloads = new Map<string, Members>();
    for (const one of commands) {
      const command = commandOf(one);
      if (!command) {
        payloads.set(one.id, one.payload);
        continue;
      }
      const config = stored.find(({ client_id, kind }) => client_id === one.client_id && kind === command.kind);
      const content = config && this.#tryOpen(config);
      if (config && content) payloads.set(one.id, { [command.member]: null, ...content, revision: config.revision });
    }
    return payloads;
  }

  #tryOpen(config: StoredConfig): Members | undefined {
    try {
      return this.#open(config);
    } catch (error) {
      // Another controller has encrypted it with a key that this one is about to read.
      if (error instanceof AppError && error.code === 'keys.not_read') return undefined;
      throw error;
    }
  }

  #open({ sealed, client_id: clientId, kind }: StoredConfig): Members {
    if (!sealed) return {};
    return JSON.parse(this.#keyring.decrypt(sealed, forwarderConfigContext(clientId, kind)).toString()) as Members;
  }

  #seal(content: Members, clientId: string, kind: ForwarderKind): Buffer {
    return this.#keyring.encrypt(Buffer.from(JSON.stringify(content)), forwarderConfigContext(clientId, kind));
  }
}

function commandOf({ type, sub_type: subType }: SentCommand): ConfigCommand | undefined {
  return CONFIG_COMMANDS[`${type} ${subType}` as CommandName];
}

function completeSyslog(name: CommandName, given: Members, stored: Members | undefined): Members {
  const whole = keepSecrets(name, given, stored);
  requirePair(whole, ['rsyslog_config', 'rsyslog_output', 'tls']);
  return whole;
}

function completeShipper(name: CommandName, given: Members, stored: Members | undefined): Members {
  const body = replaceOtherSecret(given);
  requireSamePlace(body, stored);
  const whole = keepSecrets(name, body, stored);
  requireWholeShipper(whole);
  for (const output of ['elasticsearch', 'logstash'])
    requirePair(whole, ['filebeat', 'filebeat_output', output, 'tls']);
  return whole;
}

/** A certificate of the client is of no use without its key. */
function requirePair(body: Members, path: readonly string[]): void {
  const tls = readAt(body, path);
  if (typeof tls !== 'object' || tls === null) return;
  const { client_cert, client_key } = tls as Members;
  if ((client_cert === null) === (client_key === null)) return;
  const missing = client_cert === null ? 'client_cert' : 'client_key';
  throw invalidField([...path, missing].join('.'), 'is needed: the certificate and the key go together');
}
