import { COMMAND_BODIES, type CommandName, hasSecret } from '@flotilla/contract';
import { AppError } from '@flotilla/kit';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { commandContext } from './encryption-context.ts';

type Payload = Readonly<Record<string, unknown>>;

const WITH_SECRETS: ReadonlySet<string> = new Set(
  Object.entries(COMMAND_BODIES).flatMap(([name, body]) => (hasSecret(body) ? [name] : [])),
);

/** A payload as it is stored: in the open or, with an empty open part, encrypted. */
export interface StoredPayload {
  readonly open: Payload;
  readonly sealed: Buffer | null;
}

interface StoredCommand {
  readonly id: string;
  readonly type: string;
  readonly sub_type: string;
  readonly payload: Payload;
  readonly payload_sealed: Buffer | null;
}

/** Payloads at rest: those of commands whose bodies may contain a secret are encrypted. */
export class SealedPayloads {
  readonly #keyring: Pick<Keyring, 'encrypt' | 'decrypt'>;

  constructor(keyring: Pick<Keyring, 'encrypt' | 'decrypt'>) {
    this.#keyring = keyring;
  }

  seal({
    id,
    name,
    payload,
  }: {
    readonly id: string;
    readonly name: CommandName;
    readonly payload: Payload;
  }): StoredPayload {
    if (!WITH_SECRETS.has(name)) return { open: payload, sealed: null };
    return { open: {}, sealed: this.#keyring.encrypt(Buffer.from(JSON.stringify(payload)), commandContext(id)) };
  }

  /**
   * Undefined: the payload cannot be read. Either another controller has encrypted it with a key that this one is about to read,
   * or a backup without secrets was restored.
   */
  open({ id, type, sub_type, payload, payload_sealed: sealed }: StoredCommand): Payload | undefined {
    if (!WITH_SECRETS.has(`${type} ${sub_type}`)) return payload;
    if (sealed === null) return undefined;
    try {
      return JSON.parse(this.#keyring.decrypt(sealed, commandContext(id)).toString()) as Payload;
    } catch (error) {
      if (error instanceof AppError && error.code === 'keys.not_read') return undefined;
      throw error;
    }
  }
}
