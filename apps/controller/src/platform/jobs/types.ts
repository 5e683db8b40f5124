import { Buffer } from 'node:buffer';
import { isSecretPath } from '@flotilla/contract';
import type { Cipher } from '../keyring/cipher.ts';
import { jobParamsContext } from './encryption-context.ts';
import type { AnyJobType, JobType } from './model.ts';

export interface StoredParams {
  readonly params: Record<string, unknown>;
  readonly params_sealed: Buffer | null;
}

/** The types of jobs that this controller can run, and the storage of their parameters. */
export class JobTypes {
  readonly #types = new Map<string, AnyJobType>();
  readonly #cipher: Cipher;

  constructor(cipher: Cipher) {
    this.#cipher = cipher;
  }

  register<P>(type: JobType<P>): void {
    if (this.#types.has(type.type)) throw new Error(`job type ${type.type} is registered twice`);
    if (type.isSmall && (type.steps.length !== 1 || type.steps[0].effects === 'once'))
      throw new Error(`a small job has one step that may run again; ${type.type} has not`);
    this.#types.set(type.type, type as AnyJobType);
  }

  get(type: string): AnyJobType | undefined {
    return this.#types.get(type);
  }

  all(): AnyJobType[] {
    return [...this.#types.values()];
  }

  /** A member that contains a secret anywhere is encrypted as a whole. */
  store(type: AnyJobType, id: string, params: unknown): StoredParams {
    const members = Object.entries(type.params.parse(params) as Record<string, unknown>);
    const isOpen = ([name, value]: [string, unknown]) => hasNoSecret(type, [name], value);
    const sealed = members.filter((member) => !isOpen(member));
    return {
      params: Object.fromEntries(members.filter(isOpen)),
      params_sealed:
        sealed.length === 0
          ? null
          : this.#cipher.encrypt(Buffer.from(JSON.stringify(Object.fromEntries(sealed))), jobParamsContext(id)),
    };
  }

  /** Throws if the parameters do not match the type's schema (any more). */
  open(type: AnyJobType, id: string, stored: StoredParams): unknown {
    return type.params.parse({ ...stored.params, ...this.decryptParams(id, stored) });
  }

  /** Decrypts the members that contain secrets. */
  decryptParams(id: string, { params_sealed: sealed }: Pick<StoredParams, 'params_sealed'>): Record<string, unknown> {
    return sealed ? JSON.parse(this.#cipher.decrypt(sealed, jobParamsContext(id)).toString()) : {};
  }
}

function hasNoSecret(type: AnyJobType, path: readonly (string | number)[], value: unknown): boolean {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).every(([name, member]) => hasNoSecret(type, [...path, name], member));
  return !isSecretPath(type.params, path);
}
